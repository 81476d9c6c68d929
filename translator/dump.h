/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pass 2 found, as text: -p2, --dump-functions, --dump-probe-aliases, --dump-probe-types. */
#ifndef STAP_DUMP_H
#define STAP_DUMP_H

#include "session.h"

/* -p2: embedded code, globals, functions, probes with their types; bodies under -v.  To standard output. */
void dump_resolved(struct session *s);
/* The dumps that the options ask for, of all that the library has.  Returns 0. */
int dump_known(struct session *s);

#endif
