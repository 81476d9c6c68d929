/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removing what has no effect, with a warning where the script's author should know. */
#ifndef STAP_OPTIMISE_H
#define STAP_OPTIMISE_H

#include "resolve.h"

/* Fills nread and nwritten of all variables and the calls of all units, from live code. */
void count_uses(struct resolver *r);
/* Warns of local variables that are read and never assigned. */
void warn_unassigned(struct resolver *r);
/*
 * Repeats until nothing changes: assignments to variables that are never read, statements without
 * effect, variables and functions without use.  kept: globals (struct var) that count as read.
 */
void optimise_all(struct resolver *r, const GPtrArray *kept);
/* optimise_pure.c: notes which functions of scripts have no effect but their value. */
void mark_pure(struct resolver *r);
/* Warns of handlers that do nothing. */
void warn_empty_handlers(struct resolver *r);
/* Marks functions that can call themselves. */
int mark_recursion(struct resolver *r);

#endif
