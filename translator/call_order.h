/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who calls whom: functions in an order in which callees come before their callers, how deep calls go below each,
 * and which can come back to themselves.  Without recursion of its own: the graph is a script's.
 */
#ifndef STAP_CALL_ORDER_H
#define STAP_CALL_ORDER_H

#include "ast.h"

struct call_node {
	struct func *func;     /* in: each once */
	GPtrArray *callees;    /* in: struct func *, also several times; those that are no node do not count */
	unsigned height;       /* calls below it, 0: it calls none; not known (0) when it is or calls a recursive one */
	bool recursive;        /* can reach itself */
};

/* Fills height and recursive.  `order`, when not NULL, gets all functions: those without recursion below them
 * bottom-up, then the others. */
void call_order(struct call_node *nodes, size_t n, GPtrArray *order);

#endif
