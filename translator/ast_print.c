/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source form of declarations and statements (expressions: ast_print_expr.c).  What is printed parses
 * to the same tree again: braces around every body, a statement a line.
 */
#include "ast.h"
#include "ast_print.h"
#include <string.h>

static void indent_to(GString *out, int indent)
{
	for (int i = 0; i < indent; i++)
		g_string_append(out, "  ");
}

static void print_embedded(GString *out, const char *code)
{
	g_string_append_printf(out, "%%{%s%%}", code);
}

static void print_sort(GString *out, int dir)
{
	if (dir)
		g_string_append_c(out, dir > 0 ? '+' : '-');
}

static void print_foreach(GString *out, const struct foreach *f)
{
	bool brackets = f->nkeys != 1;

	g_string_append(out, "foreach (");
	if (f->value)
		g_string_append_printf(out, "%s = ", f->value->name);
	if (brackets)
		g_string_append_c(out, '[');
	for (size_t i = 0; i < f->nkeys; i++) {
		g_string_append_printf(out, "%s%s", i ? ", " : "", f->keys[i]->name);
		print_sort(out, f->sort_by == (int)i + 1 ? f->sort_dir : 0);
	}
	if (brackets)
		g_string_append_c(out, ']');
	g_string_append(out, " in ");
	print_expr(out, f->array);
	if (f->slice)
		print_index_list(out, f->slice, f->nkeys);
	if (f->sort_stat)
		g_string_append_printf(out, " @%s", stat_name(f->sort_stat));
	print_sort(out, f->sort_by == 0 ? f->sort_dir : 0);
	if (f->limit) {
		g_string_append(out, " limit ");
		print_expr(out, f->limit);
	}
	g_string_append(out, ") ");
}

static void print_for(GString *out, const struct stmt *st)
{
	g_string_append(out, "for (");
	if (st->init)
		print_expr(out, st->init);
	g_string_append(out, "; ");
	if (st->expr)
		print_expr(out, st->expr);
	g_string_append(out, "; ");
	if (st->step)
		print_expr(out, st->step);
	g_string_append(out, ") ");
}

/* The list of a block, or the one statement, inside braces; no newline at the end. */
static void print_body(GString *out, const struct stmt *st, int indent)
{
	g_string_append(out, "{\n");
	if (st && st->kind == ST_BLOCK) {
		for (size_t i = 0; i < st->nlist; i++)
			if (st->list[i]->kind != ST_NULL)
				print_stmt(out, st->list[i], indent + 1);
	} else if (st && st->kind != ST_NULL) {
		print_stmt(out, st, indent + 1);
	}
	indent_to(out, indent);
	g_string_append_c(out, '}');
}

static void print_if(GString *out, const struct stmt *st, int indent)
{
	for (;;) {
		g_string_append(out, "if (");
		print_expr(out, st->expr);
		g_string_append(out, ") ");
		print_body(out, st->body, indent);
		if (!st->other)
			break;
		g_string_append(out, " else ");
		if (st->other->kind != ST_IF) {
			print_body(out, st->other, indent);
			break;
		}
		st = st->other;
	}
}

static void print_try(GString *out, const struct stmt *st, int indent)
{
	g_string_append(out, "try ");
	print_body(out, st->body, indent);
	g_string_append(out, " catch ");
	if (st->catch_var)
		g_string_append_printf(out, "(%s) ", st->catch_var->name);
	print_body(out, st->other, indent);
}

static void print_word_expr(GString *out, const char *word, const struct expr *e)
{
	g_string_append(out, word);
	if (e) {
		g_string_append_c(out, ' ');
		print_expr(out, e);
	}
}

/* One statement without indentation and newline. */
static void print_stmt_text(GString *out, const struct stmt *st, int indent)
{
	switch (st->kind) {
	case ST_NULL: g_string_append_c(out, ';'); break;
	case ST_BLOCK: print_body(out, st, indent); break;
	case ST_EXPR: print_expr(out, st->expr); break;
	case ST_IF: print_if(out, st, indent); break;
	case ST_WHILE:
		g_string_append(out, "while (");
		print_expr(out, st->expr);
		g_string_append(out, ") ");
		print_body(out, st->body, indent);
		break;
	case ST_FOR:
		print_for(out, st);
		print_body(out, st->body, indent);
		break;
	case ST_FOREACH:
		print_foreach(out, st->foreach);
		print_body(out, st->body, indent);
		break;
	case ST_BREAK: g_string_append(out, "break"); break;
	case ST_CONTINUE: g_string_append(out, "continue"); break;
	case ST_NEXT: g_string_append(out, "next"); break;
	case ST_RETURN: print_word_expr(out, "return", st->expr); break;
	case ST_DELETE: print_word_expr(out, "delete", st->expr); break;
	case ST_TRY: print_try(out, st, indent); break;
	case ST_EMBEDDED: print_embedded(out, st->code); break;
	}
}

void print_stmt(GString *out, const struct stmt *st, int indent)
{
	bool ends = st->kind == ST_EXPR || st->kind == ST_BREAK || st->kind == ST_CONTINUE || st->kind == ST_NEXT ||
		    st->kind == ST_RETURN || st->kind == ST_DELETE;

	indent_to(out, indent);
	print_stmt_text(out, st, indent);
	g_string_append(out, ends ? ";\n" : "\n");
}

/* A kernel address reads better as one than as a negative number. */
static void print_point_arg(GString *out, const struct expr *arg)
{
	if (arg->kind == EX_NUM && arg->num < -(INT64_C(1) << 30))
		g_string_append_printf(out, "0x%" G_GINT64_MODIFIER "x", (guint64)arg->num);
	else
		print_expr(out, arg);
}

void print_point(GString *out, const struct point *p)
{
	for (size_t i = 0; i < p->ncomps; i++) {
		g_string_append_printf(out, "%s%s", i ? "." : "", p->comps[i].name);
		if (p->comps[i].arg) {
			g_string_append_c(out, '(');
			print_point_arg(out, p->comps[i].arg);
			g_string_append_c(out, ')');
		}
	}
	if (p->sufficient)
		g_string_append(out, " !");
	if (p->optional)
		g_string_append(out, " ?");
	if (p->condition) {
		g_string_append(out, " if (");
		print_expr(out, p->condition);
		g_string_append_c(out, ')');
	}
}

static void print_probe(GString *out, const struct probe_decl *d)
{
	g_string_append(out, "probe ");
	for (size_t i = 0; i < d->nnames; i++) {
		print_point(out, d->names[i]);
		g_string_append(out, i + 1 == d->nnames && d->epilogue ? " += " : " = ");
	}
	for (size_t i = 0; i < d->npoints; i++) {
		g_string_append(out, i ? ", " : "");
		print_point(out, d->points[i]);
	}
	g_string_append_c(out, ' ');
	print_body(out, d->body, 0);
	g_string_append_c(out, '\n');
}

static void print_typed(GString *out, const char *name, enum type type, struct loc declared)
{
	g_string_append(out, name);
	if (declared.line && (type == TY_LONG || type == TY_STRING))
		g_string_append_printf(out, ":%s", type_name(type));
}

static void print_global(GString *out, const struct var *v)
{
	g_string_append_printf(out, "%sglobal ", v->is_private ? "private " : "");
	print_typed(out, v->name, v->type, v->type_loc);
	if (v->wrap)
		g_string_append_c(out, '%');
	if (v->maxsize)
		g_string_append_printf(out, "[%" G_GINT64_FORMAT "]", v->maxsize);
	if (v->init) {
		g_string_append(out, " = ");
		print_expr(out, v->init);
	}
	g_string_append_c(out, '\n');
}

static void print_func(GString *out, const struct func *f)
{
	g_string_append_printf(out, "%sfunction ", f->is_private ? "private " : "");
	print_typed(out, f->name, f->type, f->type_loc);
	g_string_append(out, " (");
	for (size_t i = 0; i < f->nparams; i++) {
		g_string_append(out, i ? ", " : "");
		print_typed(out, f->params[i]->name, f->params[i]->type, f->params[i]->type_loc);
	}
	g_string_append_c(out, ')');
	if (f->priority >= 0)
		g_string_append_printf(out, ":%d", f->priority);
	g_string_append_c(out, ' ');
	if (f->code)
		print_embedded(out, f->code);
	else
		print_body(out, f->body, 0);
	g_string_append_c(out, '\n');
}

void print_file(GString *out, const struct file *f)
{
	g_string_append_printf(out, "# file %s\n", f->src->name);
	for (unsigned i = 0; i < f->embeds->len; i++)
		print_stmt(out, f->embeds->pdata[i], 0);
	for (unsigned i = 0; i < f->globals->len; i++)
		print_global(out, f->globals->pdata[i]);
	for (unsigned i = 0; i < f->aliases->len; i++)
		print_probe(out, f->aliases->pdata[i]);
	for (unsigned i = 0; i < f->probes->len; i++)
		print_probe(out, f->probes->pdata[i]);
	for (unsigned i = 0; i < f->funcs->len; i++)
		print_func(out, f->funcs->pdata[i]);
}
