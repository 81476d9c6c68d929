/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings given with -D NAME=VALUE: limits of the runtime, and macros for users' embedded C. */
#ifndef STAP_DEFINE_H
#define STAP_DEFINE_H

#include "session.h"

/*
 * The value of -D NAME (1) or -D NAME=VALUE; the last one given counts.  VALUE is a number or an expression of numbers, as
 * it could stand in C: 10*1024, (1 << 20), 500LL.  1 when it was given, 0 when not (*ret stays), -1 after diag_error.
 */
int define_find(struct session *s, const char *name, int64_t *ret);

/* Before pass 2: the values of all settings are numbers in their ranges; -1 after diag_error. */
int define_check(struct session *s);

/* Whether -D NAME was given, and not as 0. */
bool define_is_given(const struct session *s, const char *name);

/* The value as text: "1" when it was given without one, NULL when it was not given. */
const char *define_text(struct session *s, const char *name);

/* Settings that stand for an option of the command line. */
void define_apply_options(struct options *o);

/* With -v: a line for each setting that changes nothing here, and for each name that is no setting, only a macro for C. */
void define_explain(const struct session *s);

#endif
