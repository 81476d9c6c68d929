/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between diag.c and diag_print.c: one message, and printing it. */
#ifndef STAP_DIAG_PRINT_H
#define STAP_DIAG_PRINT_H

#include "diag.h"

enum diag_item_kind { ITEM_ERROR, ITEM_WARNING, ITEM_NOTE, ITEM_HELP };

struct diag_item {
	enum diag_item_kind kind;
	int pass;              /* that was running */
	struct loc loc;        /* src NULL: none */
	const char *tag;       /* static string, or NULL */
	char *text;
};

/* Writes the item to standard error, with the source line when it has one. */
void diag_item_print(struct session *s, const struct diag_item *it);

#endif
