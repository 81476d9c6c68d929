/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements, but for loops. */
#include "gen.h"
#include "gen_restart.h"

/* ---- MAXACTION ---- */

void gen_spend(struct fn *f, int64_t n, struct loc loc)
{
	gen_check_cond(f, gen_text(f, "!stp_spend(c, %lld)", (long long)n), loc, "statement");
}

/* A handler longer than MAXACTION without any loop pays as it goes. */
static void spend_block(struct fn *f, struct stmt *st)
{
	if (f->spend_blocks && st->nlist)
		gen_spend(f, (int64_t)st->nlist, st->loc);
}

/* ---- leaving ---- */

static void leave(struct fn *f)
{
	gen_unwind_inline(f);
	emit_line(&f->o, "goto out;");
	f->out_used++;
}

static void gen_return(struct fn *f, struct stmt *st)
{
	struct val v;

	if (st->expr && f->func && (f->func->type == TY_LONG || f->func->type == TY_STRING)) {
		v = gen_expr(f, st->expr);
		emit_line(&f->o, "ret = %s;", v.c);
	} else if (st->expr) {
		gen_effect(f, st->expr);
	}
	leave(f);
}

/* In a function with overloads: the next one is tried with the same arguments. */
void gen_next(struct fn *f)
{
	struct func *fu = f->func, *alt = fu ? fu->next_overload : NULL;
	const char *args = "";
	struct fninfo *info;

	while (alt && (alt->nparams != fu->nparams || alt->runtime))
		alt = alt->next_overload;
	if (!alt) {
		leave(f);
		return;
	}
	info = gen_info(f->g, alt);
	if (info->state == FN_NEW)
		gen_func(f->g, alt);
	for (size_t i = 0; i < fu->nparams; i++) {
		struct local *l = g_hash_table_lookup(f->locals, fu->params[i]);

		args = gen_text(f, "%s, %s%s", args, l && l->kind == LOCAL_FRAME ? "p_" : "l_", var_cname(fu->params[i]));
	}
	gen_unwind_inline(f);
	emit_line(&f->o, "%sf_%s(c%s);", fu->type == TY_LONG || fu->type == TY_STRING ? "ret = " : "",
	          alt->cname ? alt->cname : alt->name, args);
	f->uses_scratch |= info->uses_scratch;
	f->can_fail |= info->fails || info->state == FN_BUSY;
	f->regs |= info->regs;
	f->matches |= info->matches;
	f->tokens |= info->tokens;
	f->max_bytes = MAX(f->max_bytes, f->bytes + info->need);
	emit_line(&f->o, "goto out;");
	f->out_used++;
}

static void gen_jump(struct fn *f, struct stmt *st)
{
	/* scratch of the statements around the jump */
	if (f->uses_scratch)
		gen_scratch_reset(f);
	if (st->kind == ST_BREAK)
		emit_line(&f->o, "break;");
	else if (f->cont)
		emit_line(&f->o, "goto %s;", f->cont);
	else
		emit_line(&f->o, "continue;");
	f->cont_used += st->kind == ST_CONTINUE;
}

/* ---- if, try ---- */

static void gen_if(struct fn *f, struct stmt *st)
{
	struct val cond = gen_cond_long(f, st->expr);

	emit_open(&f->o, "if (%s)", cond.c);
	gen_body(f, st->body);
	if (st->other && st->other->kind != ST_NULL) {
		f->o.indent--;
		emit_open(&f->o, "} else");
		gen_body(f, st->other);
	}
	emit_close(&f->o);
}

/* catch (v): the message goes into the variable. */
static void gen_caught(struct fn *f, struct stmt *st)
{
	struct var *v = st->catch_var ? st->catch_var->var : NULL;

	if (f->uses_scratch || v)
		gen_scratch_reset(f);
	if (!v || var_dead(f, v)) {
		emit_line(&f->o, "c->err = NULL;");
	} else {
		gen_scratch(f, 0);
		if (var_is_buf(f, v)) {
			emit_line(&f->o, "str_set(%s, stp_catch(c));", var_text(f, v));
			f->g->uses_buf = true;
		} else {
			emit_line(&f->o, "%s = stp_catch(c);", var_text(f, v));
			emit_line(&f->o, "%s = c->scratch;", f->mark);
			f->mark_raised = true;
		}
	}
}

/* Opening an iterator can fail, so a loop inside a try block has a way to its catch. */
static bool loop_unwinds_to(const struct scope *inner, const struct scope *sc)
{
	return inner->kind == SCOPE_ITER && inner->up == sc;
}

static void gen_try(struct fn *f, struct stmt *st)
{
	struct scope *sc = scope_push(f, SCOPE_TRY);

	emit_open(&f->o, "/* try */");
	gen_body(f, st->body);
	scope_pop(f);
	emit_close(&f->o);
	if (!sc->used && !f->fails->len)
		return;
	for (unsigned i = 0; i < f->fails->len && !sc->used; i++)
		sc->used = ((struct fail *)g_ptr_array_index(f->fails, i))->scope == sc;
	for (unsigned i = 0; i < f->scopes->len && !sc->used; i++)
		sc->used = loop_unwinds_to(g_ptr_array_index(f->scopes, i), sc);
	if (!sc->used)
		return; /* nothing can fail */
	emit_open(&f->o, "if (0) /* catch */");
	emit_label(&f->o, "catch_%u", sc->id);
	if (gen_may_miss(f->g, st->body))
		gen_check_again(f);
	gen_caught(f, st);
	gen_body(f, st->other);
	emit_close(&f->o);
}

/* ---- entry ---- */

static void gen_simple(struct fn *f, struct stmt *st)
{
	switch (st->kind) {
	case ST_EXPR: gen_effect(f, st->expr); break;
	case ST_IF: gen_if(f, st); break;
	case ST_WHILE: gen_while(f, st); break;
	case ST_FOR: gen_for(f, st); break;
	case ST_FOREACH: gen_foreach(f, st); break;
	case ST_BREAK: case ST_CONTINUE: gen_jump(f, st); break;
	case ST_NEXT: gen_next(f); break;
	case ST_RETURN: gen_return(f, st); break;
	case ST_DELETE: gen_delete(f, st->expr); break;
	case ST_TRY: gen_try(f, st); break;
	case ST_EMBEDDED: gen_embed_stmt(f, st); break;
	case ST_NULL: case ST_BLOCK: break;
	}
}

static bool jumps(const struct stmt *st)
{
	return st->kind == ST_BREAK || st->kind == ST_CONTINUE || st->kind == ST_NEXT || st->kind == ST_RETURN;
}

/* Scratch is given back as a statement ends; temporaries' names are of one block. */
/* Does the code declare something large?  Then a block of its own lets the compiler use the stack's bytes again. */
static bool declares_large(const char *code)
{
	static const char *const types[] = { "struct stp_agg ", "union stp_key ", "struct stp_iter", "struct stp_sink ",
					     "struct stp_str " };

	for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
		if (strstr(code, types[i]))
			return true;
	return false;
}

/* The statement's code, in a block where that is worth it. */
static void gen_scoped(struct fn *f, struct stmt *st)
{
	GString *outer = emit_capture(&f->o), *code;
	char **lines;
	bool block;

	f->o.indent++;
	gen_simple(f, st);
	f->o.indent--;
	code = emit_release(&f->o, outer);
	/* loops have blocks of their own */
	block = st->kind != ST_FOREACH && st->kind != ST_WHILE && st->kind != ST_FOR && declares_large(code->str);
	if (block)
		emit_open(&f->o, "%s", "");
	lines = g_strsplit(code->str, "\n", -1);
	for (char **l = lines; *l; l++)
		if (**l || l[1])
			g_string_append_printf(f->o.text, "%s\n", !block && **l == '\t' ? *l + 1 : *l);
	g_strfreev(lines);
	g_string_free(code, TRUE);
	if (block)
		emit_close(&f->o);
}

void gen_stmt(struct fn *f, struct stmt *st)
{
	bool dirty = f->dirty;
	size_t bytes = f->bytes;

	if (!st || st->kind == ST_NULL)
		return;
	if (st->kind == ST_BLOCK) {
		gen_body(f, st);
		return;
	}
	f->dirty = f->raise_mark = false;
	f->cost++;
	gen_scoped(f, st);
	if (f->raise_mark && f->dirty) {
		emit_line(&f->o, "%s = c->scratch;", f->mark);
		f->mark_raised = true;
	} else {
		if (f->dirty && !jumps(st))
			gen_scratch_reset(f);
		f->bytes = bytes;
	}
	f->raise_mark = false;
	f->dirty = dirty;
}

void gen_body(struct fn *f, struct stmt *st)
{
	if (!st)
		return;
	if (st->kind != ST_BLOCK) {
		gen_stmt(f, st);
		return;
	}
	spend_block(f, st);
	for (size_t i = 0; i < st->nlist; i++) {
		gen_stmt(f, st->list[i]);
		if (st->list[i] && jumps(st->list[i]))
			break; /* what follows can not be reached */
	}
}
