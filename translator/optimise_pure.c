/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions of scripts do nothing besides giving a value (optimise.h). */
#include "optimise.h"

static bool is_local(const struct expr *e)
{
	return e->kind == EX_SYM && e->var && e->var->kind != VAR_GLOBAL;
}

static bool calls_pure(const struct func *f)
{
	for (; f; f = f->next_overload)
		if (!f->pure)
			return false;
	return true;
}

static bool pure_expr(struct walker *w, struct expr **pe)
{
	const struct expr *e = *pe;
	bool *pure = w->data;

	switch (e->kind) {
	case EX_ASSIGN:
	case EX_PREINC:
	case EX_PREDEC:
	case EX_POSTINC:
	case EX_POSTDEC:
		*pure &= is_local(e->a);
		break;
	case EX_PRINT:
		*pure &= e->print->to_string;
		break;
	case EX_CALL:
		*pure &= calls_pure(e->func);
		break;
	case EX_REGEX: /* sets what matched() gives */
	case EX_EMBEDDED:
		*pure = false;
		break;
	case EX_AUTOCAST: /* not lowered yet; it may be assigned to */
		*pure &= e->num == 0;
		break;
	default:
		break;
	}
	return *pure;
}

static bool pure_stmt(struct walker *w, struct stmt **st)
{
	bool *pure = w->data;

	switch ((*st)->kind) {
	case ST_DELETE:
		*pure &= is_local((*st)->expr);
		break;
	case ST_NEXT: /* ends the handler, or hands on to another overload */
	case ST_EMBEDDED:
		*pure = false;
		break;
	default:
		break;
	}
	return *pure;
}

/* Functions call each other: all count as pure until one is found that is not. */
void mark_pure(struct resolver *r)
{
	bool more = true;

	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->func && !u->func->code && *u->body)
			u->func->pure = true;
	}
	while (more) {
		more = false;
		for (guint i = r->units->len; i-- > 0;) { /* callees mostly stand behind their callers */
			struct unit *u = r->units->pdata[i];
			bool pure = true;
			struct walker w = { .expr = pure_expr, .stmt = pure_stmt, .data = &pure };

			if (!u->func || u->func->code || !u->func->pure)
				continue;
			walk_stmt(&w, u->body);
			u->func->pure = pure;
			more |= !pure;
		}
	}
}
