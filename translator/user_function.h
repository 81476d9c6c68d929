/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows .function("...") in a point of a program. */
#ifndef STAP_USER_FUNCTION_H
#define STAP_USER_FUNCTION_H

#include "probe_process.h"

struct user_suffix {
	const struct point_comp *comp;   /* function(...) or statement(...) */
	const char *text;                /* all behind it, ".return" */
	const char *label, *callee;      /* patterns */
	int64_t depth, maxactive;
	bool is_return, is_call, is_inline, exported, nearest;
};

#endif
