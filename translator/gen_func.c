/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Script functions.  One is generated when the first call to it is met, so callees come before callers in the file.
 * A function leaves scratch memory as it found it, but for a string result, which stp_str_return() moves down.
 */
#include "gen.h"
#include "source.h"

#include <string.h>

struct fn *fn_new(struct gen *g, struct probe *p, struct func *func)
{
	struct fn *f = g_new0(struct fn, 1);

	f->g = g;
	f->probe = p;
	f->func = func;
	f->alone = p && (p->attach == ATTACH_BEGIN || p->attach == ATTACH_END || p->attach == ATTACH_ERROR);
	emit_init(&f->o);
	f->o.indent = 1;
	f->top = g_string_new(NULL);
	f->locals = g_hash_table_new(NULL, NULL);
	f->local_list = g_ptr_array_new();
	f->effects = g_hash_table_new(NULL, NULL);
	f->fails = g_ptr_array_new();
	f->scopes = g_ptr_array_new();
	f->mark = "mark";
	f->mark_flag = &f->mark_used;
	f->leaf = true;
	return f;
}

void fn_free(struct fn *f)
{
	emit_free(&f->o);
	g_string_free(f->top, TRUE);
	g_hash_table_destroy(f->locals);
	g_ptr_array_free(f->local_list, TRUE);
	g_hash_table_destroy(f->effects);
	g_ptr_array_free(f->fails, TRUE);
	g_ptr_array_free(f->scopes, TRUE);
	g_free(f);
}

static const char *c_type(enum type t)
{
	return t == TY_STRING ? "struct stp_str" : t == TY_LONG ? "s64" : "void";
}

static const char *signature(struct fn *f)
{
	struct func *fu = f->func;
	const char *t = gen_text(f, "static %s%s f_%s(struct stp_ctx *c", f->g->s->opt.unoptimized ? "__attribute__((unused)) " : "", c_type(fu->type), fu->cname ? fu->cname : fu->name);

	for (size_t i = 0; i < fu->nparams; i++) {
		struct local *l = g_hash_table_lookup(f->locals, fu->params[i]);
		const char *prefix = l && l->kind == LOCAL_FRAME ? "p_" : "l_";

		t = gen_text(f, "%s, %s %s%s", t, fu->params[i]->type == TY_STRING ? "struct stp_str" : "s64", prefix,
		             var_cname(fu->params[i]));
	}
	return gen_text(f, "%s)", t);
}

/* Code that runs before the body: the frame's check and its strings. */
void gen_frame_init(struct fn *f)
{
	if (!f->has_frame)
		return;
	gen_check_cond(f, "!f", f->func ? f->func->loc : f->probe->loc, "string");
	for (unsigned i = 0; i < f->local_list->len; i++) {
		struct local *l = g_ptr_array_index(f->local_list, i);
		const char *name = var_cname(l->var);

		if (l->kind != LOCAL_FRAME)
			continue;
		emit_line(&f->o, "f->l_%s.len = 0;", name);
		if (l->param)
			emit_line(&f->o, "str_set(f->l_%s, p_%s);", name, name);
		f->g->uses_buf |= l->param;
	}
}

/* Takes out all lines that say just this. */
static void drop_lines(GString *text, const char *line)
{
	char *at = text->str;

	while ((at = strstr(at, line))) {
		char *from = at;

		while (from > text->str && from[-1] == '\t')
			from--;
		if (from > text->str && from[-1] != '\n') {
			at++;
			continue;
		}
		g_string_erase(text, from - text->str, at + (gssize)strlen(line) - from);
		at = from;
	}
}

/* Everything at the top of a C function's block. */
void gen_declarations(struct fn *f, GString *out)
{
	gen_locals_declare(f, out);
	gen_frame(f, out);
	g_string_append(out, f->top->str);
	if (f->mark_used)
		g_string_append(out, "\tchar *mark = c->scratch;\n");
	else if (f->mark_raised)
		drop_lines(f->o.text, "mark = c->scratch;\n");
}

static void put_head(struct fn *f, GString *out)
{
	struct func *fu = f->func;

	g_string_append_printf(out, "%s\n{\n", signature(f));
	if (fu->type == TY_STRING)
		g_string_append(out, "\tstruct stp_str ret = STP_STR(\"\");\n");
	else if (fu->type == TY_LONG)
		g_string_append(out, "\ts64 ret = 0;\n");
	if (f->uses_scratch)
		g_string_append(out, "\tchar *base = c->scratch;\n");
	gen_declarations(f, out);
}

/* The way out: scratch memory is given back, the result returned. */
static void put_tail(struct fn *f)
{
	enum type t = f->func->type;
	const char *result = t == TY_STRING && f->uses_scratch ? "stp_str_return(c, base, ret)" : "ret";

	gen_out_label(f, t != TY_STRING && t != TY_LONG && !f->info->recursive && !f->uses_scratch && !f->fails->len);
	if (f->info->recursive)
		emit_line(&f->o, "c->nesting--;");
	if (t != TY_STRING && f->uses_scratch)
		emit_line(&f->o, "c->scratch = base;");
	if (t == TY_STRING || t == TY_LONG)
		emit_line(&f->o, "return %s;", result);
	else if (f->fails->len)
		emit_line(&f->o, "return;");
}

static void put_stack_check(struct fn *f)
{
	emit_line(&f->o, "if (unlikely(stp_stack_low(c)))");
	emit_line(&f->o, "\tstp_fail(c, \"the kernel's stack is nearly used up\");");
	gen_check(f, f->func->loc, gen_text(f, "identifier '%s'", f->func->name));
}

/* A recursive function counts its depth and its statements on entry. */
static void put_entry(struct fn *f)
{
	struct func *fu = f->func;

	if (!f->info->recursive) {
		gen_frame_init(f);
		if (f->info->deep)
			put_stack_check(f);
		return;
	}
	gen_declare(f->g, gen_text(f, "%s;", signature(f)));
	emit_line(&f->o, "c->nesting++;");
	gen_frame_init(f);
	emit_line(&f->o, "if (unlikely(c->nesting > %u))", f->g->maxnesting);
	emit_line(&f->o, "\tstp_fail(c, \"MAXNESTING exceeded\");");
	put_stack_check(f);
	gen_spend(f, 8, fu->loc);
}

static void finish(struct fn *f)
{
	struct fninfo *info = f->info;

	info->fails = f->can_fail;
	info->uses_scratch = f->uses_scratch;
	info->regs = f->regs;
	info->matches = f->matches;
	info->tokens = f->tokens;
	info->cost = f->cost + 1;
	info->need = f->max_bytes * (info->recursive ? f->g->maxnesting + 1 : 1);
	info->state = FN_DONE;
}

static void put_rest(struct fn *f, GString *out)
{
	g_string_append_c(out, '\n');
	g_string_append(out, f->o.text->str);
	g_string_append(out, "}\n\n");
}

/*
 * A function that uses context variables has a copy for each probe that calls it; those that came out alike are one, and so
 * may the handlers that call them be.  True when there is one already: calls go to it.
 */
static bool find_same(struct fn *f)
{
	const char *name = f->func->cname ? f->func->cname : f->func->name, *other;
	GString *text = g_string_new("function ");

	f->func->cname = "\001";
	put_head(f, text);
	put_rest(f, text);
	f->func->cname = name;
	other = g_hash_table_lookup(f->g->interned, text->str);
	if (other)
		f->func->cname = other;
	else
		g_hash_table_insert(f->g->interned, g_strdup(text->str), (char *)name);
	g_string_free(text, TRUE);
	return other;
}

void gen_func(struct gen *g, struct func *func)
{
	struct fninfo *info = gen_info(g, func);
	struct fn *f = fn_new(g, NULL, func);
	const char *cold;

	f->info = info;
	info->state = FN_BUSY;
	gen_locals(f, func, func->body, NULL, 0);
	put_entry(f);
	if (func->code)
		gen_embed_func(f);
	else
		gen_body(f, func->body);
	finish(f);
	cold = gen_cold(f);
	put_tail(f);
	g_string_append(f->o.text, cold);
	if (info->recursive || !find_same(f)) {
		gen_comment(g, gen_text(f, "function %s, %s:%u", func->name, func->loc.src ? func->loc.src->name : "?",
		                        func->loc.line));
		put_head(f, g->code);
		put_rest(f, g->code);
	}
	fn_free(f);
}
