/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The uses of variables in a piece of code (access.h). */
#include "access.h"
#include "embed.h"

static void visit_expr_accesses(struct access_visitor *v, struct expr *e, bool value_used);
static void visit_accesses(struct access_visitor *v, struct stmt *st);

static void visit_args(struct access_visitor *v, struct expr **args, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (args[i])
			visit_expr_accesses(v, args[i], true);
}

static void note(struct access_visitor *v, struct expr *site, enum access how)
{
	if (site->var)
		v->access(v, site, site->var, how);
}

/* An assigned place: the indexes are read, the variable accessed as `how` says. */
static void visit_place(struct access_visitor *v, struct expr *e, enum access how)
{
	if (e->kind == EX_SYM || e->kind == EX_INDEX) {
		visit_args(v, e->args, e->nargs);
		note(v, e, how);
	} else {
		visit_expr_accesses(v, e, true); /* memory: the address is read */
	}
}

static enum access assign_access(const struct expr *e, bool value_used)
{
	switch (e->op) {
	case OP_NONE:
		return ACC_STORE;
	case OP_STAT:
		return ACC_STAT_ADD;
	case OP_ADD:
	case OP_SUB:
		return value_used ? ACC_FETCH_ADD : ACC_ADD;
	default:
		return value_used ? ACC_EXCHANGE : ACC_MODIFY;
	}
}

static void visit_call(struct access_visitor *v, struct expr *e)
{
	visit_args(v, e->args, e->nargs);
	for (struct func *f = e->func; f && v->call; f = f->next_overload)
		v->call(v, f);
}

/* The code may look at a global, and write it, any number of times. */
static void visit_embedded(struct access_visitor *v, struct expr *e)
{
	for (size_t i = 0; i < e->nargs; i++) {
		if (e->args[i]->num & EMBED_READ)
			note(v, e->args[i], ACC_ITERATE);
		if (e->args[i]->num & EMBED_WRITE)
			note(v, e->args[i], ACC_MODIFY);
	}
}

/* value_used: false for an expression that stands as a statement. */
static void visit_expr_accesses(struct access_visitor *v, struct expr *e, bool value_used)
{
	switch (e->kind) {
	case EX_SYM:
		note(v, e, ACC_READ);
		break;
	case EX_INDEX:
		visit_args(v, e->args, e->nargs);
		note(v, e, ACC_READ);
		break;
	case EX_IN:
		visit_args(v, e->args, e->nargs);
		note(v, e, ACC_TEST);
		break;
	case EX_CALL:
		visit_call(v, e);
		break;
	case EX_PREINC:
	case EX_PREDEC:
	case EX_POSTINC:
	case EX_POSTDEC:
		visit_place(v, e->a, value_used ? ACC_FETCH_ADD : ACC_ADD);
		break;
	case EX_ASSIGN:
		visit_expr_accesses(v, e->b, true);
		visit_place(v, e->a, assign_access(e, value_used));
		break;
	case EX_STATOP:
	case EX_HIST:
		visit_place(v, e->a, ACC_STAT_READ);
		break;
	case EX_EMBEDDED:
		visit_embedded(v, e);
		break;
	default:
		if (e->a)
			visit_expr_accesses(v, e->a, true);
		if (e->b)
			visit_expr_accesses(v, e->b, true);
		if (e->c)
			visit_expr_accesses(v, e->c, true);
		visit_args(v, e->args, e->nargs);
		for (size_t i = 0; i < e->ncomps; i++)
			if (e->comps[i].index)
				visit_expr_accesses(v, e->comps[i].index, true);
		break;
	}
}

static void visit_foreach(struct access_visitor *v, struct stmt *st)
{
	struct foreach *fe = st->foreach;

	if (fe->slice)
		visit_args(v, fe->slice, fe->nkeys);
	if (fe->limit)
		visit_expr_accesses(v, fe->limit, true);
	if (fe->array->kind == EX_HIST)
		visit_expr_accesses(v, fe->array, true);
	else
		note(v, fe->array, ACC_ITERATE);
	for (size_t i = 0; i < fe->nkeys; i++)
		note(v, fe->keys[i], ACC_STORE);
	if (fe->value)
		note(v, fe->value, ACC_STORE);
	v->loops++;
	visit_accesses(v, st->body);
	v->loops--;
}

static void visit_loop(struct access_visitor *v, struct stmt *st)
{
	if (st->init)
		visit_expr_accesses(v, st->init, false);
	v->loops++;
	if (st->expr)
		visit_expr_accesses(v, st->expr, true);
	if (st->body)
		visit_accesses(v, st->body);
	if (st->step)
		visit_expr_accesses(v, st->step, false);
	v->loops--;
}

static void visit_accesses(struct access_visitor *v, struct stmt *st)
{
	switch (st->kind) {
	case ST_NULL:
	case ST_BREAK:
	case ST_CONTINUE:
	case ST_NEXT:
		break;
	case ST_BLOCK:
		for (size_t i = 0; i < st->nlist; i++)
			visit_accesses(v, st->list[i]);
		break;
	case ST_EXPR:
	case ST_EMBEDDED:
		visit_expr_accesses(v, st->expr, false);
		break;
	case ST_WHILE:
	case ST_FOR:
		visit_loop(v, st);
		break;
	case ST_FOREACH:
		visit_foreach(v, st);
		break;
	case ST_DELETE:
		visit_place(v, st->expr, ACC_DELETE);
		break;
	case ST_IF:
	case ST_RETURN:
	case ST_TRY:
		if (st->expr)
			visit_expr_accesses(v, st->expr, true);
		if (st->body)
			visit_accesses(v, st->body);
		if (st->catch_var)
			note(v, st->catch_var, ACC_STORE);
		if (st->other)
			visit_accesses(v, st->other);
		break;
	}
}

void visit_unit_accesses(struct access_visitor *v, struct unit *u)
{
	if (*u->body)
		visit_accesses(v, *u->body);
	for (size_t i = 0; u->probe && i < u->probe->nsaved; i++)
		visit_expr_accesses(v, u->probe->saved[i], true);
	if (u->probe && u->probe->condition)
		visit_expr_accesses(v, u->probe->condition, true);
}
