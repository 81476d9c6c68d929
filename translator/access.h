/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every use that a piece of code makes of a variable, and every call, one by one in the order of the
 * text.  What counts uses, finds dead code and assigns locks stands on this.
 */
#ifndef STAP_ACCESS_H
#define STAP_ACCESS_H

#include "resolve.h"

enum access {
	ACC_READ,     /* the value, or an element's */
	ACC_STORE,    /* = */
	ACC_ADD,      /* ++ -- += -= whose value is not used: commutes with others of its kind */
	ACC_MODIFY,   /* another op= whose value is not used */
	ACC_FETCH_ADD,/* ++ -- += -= whose value is used: x = n++ */
	ACC_EXCHANGE, /* another op= whose value is used */
	ACC_STAT_ADD, /* <<< */
	ACC_STAT_READ,/* @count and the like */
	ACC_TEST,     /* in */
	ACC_DELETE,
	ACC_ITERATE,  /* foreach */
};

struct access_visitor {
	/* `site` is the EX_SYM, EX_INDEX or EX_IN that names the variable. */
	void (*access)(struct access_visitor *v, const struct expr *site, struct var *var, enum access how);
	void (*call)(struct access_visitor *v, struct func *f); /* once for each overload; may be NULL */
	void *data;
	unsigned loops; /* loops around the current place */
};

/* The whole unit: body, and for handlers the expressions saved at entry and the condition. */
void visit_unit_accesses(struct access_visitor *v, struct unit *u);

#endif
