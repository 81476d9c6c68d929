/* SPDX-License-Identifier: GPL-2.0-or-later */
/* while and for.  Each round pays for its statements at the head. */
#include "gen.h"

#include <string.h>

/* Generates the body apart, with the charge for it in front. */
static GString *loop_body(struct fn *f, struct stmt *body, struct loc loc, int64_t extra)
{
	GString *outer, *text;
	int64_t before = f->cost;

	outer = emit_capture(&f->o);
	f->o.indent++;
	f->loop_depth++;
	gen_body(f, body);
	f->loop_depth--;
	text = emit_release(&f->o, outer);
	outer = emit_capture(&f->o);
	gen_spend(f, f->cost - before + extra, loc);
	f->o.indent--;
	g_string_append(f->o.text, text->str);
	g_string_free(text, TRUE);
	return emit_release(&f->o, outer);
}

static GString *apart(struct fn *f, struct expr *e, struct val *v)
{
	GString *outer = emit_capture(&f->o);

	f->o.indent++;
	f->loop_depth++;
	if (v)
		*v = gen_cond_long(f, e);
	else
		gen_effect(f, e);
	f->loop_depth--;
	f->o.indent--;
	return emit_release(&f->o, outer);
}

/* The loop's head when its condition takes statements. */
static void put_long_head(struct fn *f, GString *code, struct val *cond, bool dirty)
{
	emit_open(&f->o, "for (;;)");
	g_string_append(f->o.text, code->str);
	emit_line(&f->o, "if (!(%s))", cond->c);
	emit_line(&f->o, "\tbreak;");
	if (dirty)
		gen_scratch_reset(f);
}

void gen_while(struct fn *f, struct stmt *st)
{
	const char *cont = f->cont;
	GString *code, *body;
	struct val cond;
	bool dirty;

	code = apart(f, st->expr, &cond);
	dirty = f->dirty; /* by the condition: the statement as a whole, too */
	f->cont = NULL;
	body = loop_body(f, st->body, st->loc, 1);
	if (code->len || dirty)
		put_long_head(f, code, &cond, dirty);
	else
		emit_open(&f->o, "while (%s)", cond.is_const && cond.num ? "1" : cond.c);
	g_string_append(f->o.text, body->str);
	emit_close(&f->o);
	f->cont = cont;
	g_string_free(code, TRUE);
	g_string_free(body, TRUE);
}

/* One plain statement can stand in the head of a C for loop. */
static char *as_head_part(const GString *code)
{
	char *text = g_strstrip(g_strdup(code->str));
	size_t n = strlen(text);

	if (n && (strchr(text, '\n') || text[n - 1] != ';' || strchr(text, ';') != text + n - 1 || strchr(text, '"') ||
	          g_str_has_prefix(text, "s64") || g_str_has_prefix(text, "struct") || g_str_has_prefix(text, "goto"))) {
		g_free(text);
		return NULL;
	}
	if (n)
		text[n - 1] = '\0';
	return text;
}

static GString *step_code(struct fn *f, struct expr *step)
{
	bool dirty = f->dirty;
	GString *code, *outer;

	if (!step)
		return g_string_new(NULL);
	f->dirty = false;
	code = apart(f, step, NULL);
	if (f->dirty) {
		outer = emit_capture(&f->o);
		f->o.indent++;
		g_string_append(f->o.text, code->str);
		gen_scratch_reset(f);
		f->o.indent--;
		g_string_free(code, TRUE);
		code = emit_release(&f->o, outer);
	}
	f->dirty = dirty;
	return code;
}

void gen_for(struct fn *f, struct stmt *st)
{
	const char *cont = f->cont, *label = gen_text(f, "next_%u", ++f->ncont);
	unsigned cont_used = f->cont_used;
	GString *code, *step, *body;
	struct val cond = val_num(f, 1);
	bool dirty = false;
	char *head;

	if (st->init)
		gen_effect(f, st->init);
	if (f->dirty)
		gen_scratch_reset(f);
	f->dirty = false;
	code = st->expr ? apart(f, st->expr, &cond) : g_string_new(NULL);
	dirty = f->dirty;
	step = step_code(f, st->step);
	head = code->len || dirty ? NULL : as_head_part(step);
	f->cont = head || !step->len ? NULL : label;
	f->cont_used = 0;
	body = loop_body(f, st->body, st->loc, 2);
	if (head) {
		emit_open(&f->o, "for (; %s; %s)", cond.is_const && cond.num ? "" : cond.c, head);
		g_string_append(f->o.text, body->str);
	} else {
		put_long_head(f, code, &cond, dirty);
		g_string_append(f->o.text, body->str);
		if (f->cont && f->cont_used) {
			emit_label(&f->o, "%s", label);
			emit_line(&f->o, ";"); /* a declaration may follow */
		}
		g_string_append(f->o.text, step->str);
	}
	emit_close(&f->o);
	f->cont = cont;
	f->cont_used = cont_used;
	f->dirty = dirty;
	g_free(head);
	g_string_free(code, TRUE);
	g_string_free(step, TRUE);
	g_string_free(body, TRUE);
}
