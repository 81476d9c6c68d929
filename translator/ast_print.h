/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between ast_print.c and ast_print_expr.c. */
#ifndef STAP_AST_PRINT_H
#define STAP_AST_PRINT_H

#include "ast.h"
#include "source.h"

/* [a, *, b]: an item NULL is `*` */
void print_index_list(GString *out, struct expr *const *v, size_t n);
/* "count" for STAT_COUNT ... */
const char *stat_name(enum stat_op op);

#endif
