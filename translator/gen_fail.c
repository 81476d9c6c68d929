/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways out of a handler.  A check after a call that can fail jumps to a cold label at the end of the function, which
 * notes the position and goes on to the nearest try block, through the loops whose iterators must be closed.
 */
#include "gen.h"

#include <string.h>

static const char *scope_label(struct fn *f, struct scope *sc)
{
	if (!sc) {
		f->out_used++;
		return "out";
	}
	sc->used = true;
	return gen_text(f, sc->kind == SCOPE_TRY ? "catch_%u" : "unwind_%u", sc->id);
}

struct scope *scope_push(struct fn *f, enum scope_kind kind)
{
	struct scope *sc = arena_alloc(f->g->s, sizeof(*sc));

	sc->up = f->scope;
	sc->kind = kind;
	sc->id = ++f->nscope;
	f->scope = sc;
	g_ptr_array_add(f->scopes, sc);
	return sc;
}

void scope_pop(struct fn *f)
{
	f->scope = f->scope->up;
}

static unsigned fail_label(struct fn *f, unsigned pos)
{
	struct fail *fail;

	for (unsigned i = f->fails->len; i-- > 0;) { /* usually among the last */
		fail = g_ptr_array_index(f->fails, i);
		if (fail->pos == pos && fail->scope == f->scope)
			return fail->id;
	}
	fail = arena_alloc(f->g->s, sizeof(*fail));
	fail->pos = pos;
	fail->scope = f->scope;
	fail->id = f->fails->len + 1;
	g_ptr_array_add(f->fails, fail);
	return fail->id;
}

static void note_failing(struct fn *f)
{
	for (struct scope *sc = f->scope; sc; sc = sc->up) {
		if (sc->kind == SCOPE_TRY) {
			f->leaf = false;
			return;
		}
	}
	f->can_fail = true;
}

void gen_check_leaf(struct fn *f, const char *cond, struct loc loc, const char *what)
{
	note_failing(f);
	emit_line(&f->o, "if (unlikely(%s))", cond);
	emit_line(&f->o, "\tgoto fail_%u;", fail_label(f, gen_position(f->g, loc, what)));
}

void gen_check_cond(struct fn *f, const char *cond, struct loc loc, const char *what)
{
	f->leaf = false;
	gen_check_leaf(f, cond, loc, what);
}

void gen_check(struct fn *f, struct loc loc, const char *what)
{
	gen_check_cond(f, "c->err", loc, what);
}

void gen_check_passed(struct fn *f)
{
	f->leaf = false;
	note_failing(f);
	emit_line(&f->o, "if (unlikely(c->err))");
	emit_line(&f->o, "\tgoto %s;", scope_label(f, f->scope));
}

void gen_check_again(struct fn *f)
{
	f->leaf = false;
	note_failing(f);
	emit_line(&f->o, "if (unlikely(c->again))");
	emit_line(&f->o, "\tgoto %s;", scope_label(f, f->scope));
}

void gen_out_label(struct fn *f, bool empty)
{
	static const char jump[] = "\n\tgoto out;\n";
	size_t n = sizeof(jump) - 1;

	if (f->o.text->len >= n && !strcmp(f->o.text->str + f->o.text->len - n, jump)) {
		g_string_truncate(f->o.text, f->o.text->len - n + 1);
		f->out_used--;
	}
	if (!f->out_used)
		return;
	emit_label(&f->o, "out");
	if (empty)
		emit_line(&f->o, ";");
}

void gen_unwind_inline(struct fn *f)
{
	for (struct scope *sc = f->scope; sc; sc = sc->up)
		if (sc->kind == SCOPE_ITER)
			emit_line(&f->o, "stp_iter_end(c, &it_%u);", sc->id);
}

const char *gen_cold(struct fn *f)
{
	GString *outer = emit_capture(&f->o), *text;
	const char *ret;

	for (unsigned i = 0; i < f->fails->len; i++) {
		struct fail *fail = g_ptr_array_index(f->fails, i);

		emit_label(&f->o, "fail_%u", fail->id);
		emit_line(&f->o, "c->err_pos = %u;", fail->pos);
		if (f->leaf && !f->func)
			emit_line(&f->o, "stp_leaf_failed(c);");
		emit_line(&f->o, "goto %s;", scope_label(f, fail->scope));
	}
	/* inner scopes come later in the list, and their labels may use those of outer ones */
	for (unsigned i = f->scopes->len; i-- > 0;) {
		struct scope *sc = g_ptr_array_index(f->scopes, i);

		if (!sc->used || sc->kind != SCOPE_ITER)
			continue;
		emit_label(&f->o, "unwind_%u", sc->id);
		emit_line(&f->o, "stp_iter_end(c, &it_%u);", sc->id);
		emit_line(&f->o, "goto %s;", scope_label(f, sc->up));
	}
	text = emit_release(&f->o, outer);
	ret = arena_strndup(f->g->s, text->str, text->len);
	g_string_free(text, TRUE);
	return ret;
}

static const char *const stat_names[] = { "@count", "@sum", "@min", "@max", "@avg", "@variance" };

static const char *stat_name(enum stat_op op)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(stat_names); i++)
		if ((unsigned)op == 1u << i)
			return stat_names[i];
	return "@hist";
}

static const char *print_name(const struct print *p)
{
	static const char *const names[][2] = {
		[PRINT_PRINT] = { "print", "sprint" }, [PRINT_PRINTLN] = { "println", "sprintln" },
		[PRINT_PRINTD] = { "printd", "sprintd" }, [PRINT_PRINTDLN] = { "printdln", "sprintdln" },
		[PRINT_PRINTF] = { "printf", "sprintf" },
	};

	return names[p->kind][p->to_string];
}

const char *expr_what(struct fn *f, const struct expr *e)
{
	switch (e->kind) {
	case EX_BINARY: case EX_UNARY: case EX_REGEX:
		return gen_text(f, "operator '%s'", op_text(e->op));
	case EX_ASSIGN:
		if (e->op == OP_STAT)
			return "operator '<<<'";
		return gen_text(f, "operator '%s='", e->op == OP_NONE ? "" : op_text(e->op));
	case EX_PREINC: case EX_POSTINC:
		return "operator '++'";
	case EX_PREDEC: case EX_POSTDEC:
		return "operator '--'";
	case EX_STATOP:
		return gen_text(f, "operator '%s'", stat_name(e->stat));
	case EX_HIST: case EX_BUCKET:
		return "operator '@hist'";
	case EX_IN:
		return "keyword 'in'";
	case EX_PRINT:
		return gen_text(f, "identifier '%s'", print_name(e->print));
	default:
		if (e->name)
			return gen_text(f, "identifier '%s'", e->name);
		return e->kind == EX_LOAD || e->kind == EX_CSTRING ? "operator '->'" : "expression";
	}
}
