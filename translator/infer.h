/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types: every variable, function and expression is a long, a string or a statistic.  Knowledge flows
 * from literals, declarations and uses over all units until nothing changes; a conflict is reported
 * with both places.  C types of pointers (autocast) travel along, and EX_AUTOCAST nodes are lowered as
 * soon as the C type of their base is known.
 */
#ifndef STAP_INFER_H
#define STAP_INFER_H

#include "resolve.h"

/* Infers all units.  Returns 0, or -1 after diag_error. */
int infer_all(struct resolver *r);
/* Collects the statistics operators and histogram shapes that variables are asked for. */
int infer_stats(struct resolver *r);

/* ---- between infer*.c ---- */
struct infer {
	struct resolver *r;
	struct session *s;
	struct unit *u;    /* NULL: a probe's condition */
	unsigned changed;  /* facts learnt in this round */
	int errors;
	bool lower;        /* this round lowers autocasts whose base's C type is known */
	bool autocast;     /* there is one */
	bool final;        /* nothing more is going to be learnt: report what is missing */
	GHashTable *mixed; /* struct var: pointers of different C types are assigned to it */
	GHashTable *failed;/* expressions with an error already reported */
};
/* `want`: what the context needs, TY_UNKNOWN for anything with a value. */
void infer_expr(struct infer *in, struct expr **pe, enum type want);
/* Like infer_expr, for an expression whose value is dropped. */
void infer_effect(struct infer *in, struct expr **pe);
void infer_hist(struct infer *in, struct expr *e);
/* Indexes of an array or slice; NULL entries are `*`. */
void infer_keys(struct infer *in, struct var *v, struct expr **args, size_t n);
/* The variable of a name gets and gives a type. */
void infer_var(struct infer *in, struct expr *e, enum type want);
void infer_print(struct infer *in, struct expr *e);
void learn_ctype(struct infer *in, struct var *v, const struct ctype *c);
void type_mismatch(struct infer *in, struct expr *e, enum type want, enum type got);

#endif
