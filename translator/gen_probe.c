/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers, entry handlers of return probes, and conditions.  A handler enters its lock groups in ascending order
 * and leaves them on every way out.  Handlers with the same text are one C function.
 */
#include "gen.h"
#include "gen_restart.h"
#include "source.h"

#include <string.h>

#define STP_MAXLOCKS 32
#define SAVED_MAX 4096 /* bytes that a kretprobe keeps */

/* ---- locks ---- */

static bool takes_locks(const struct fn *f)
{
	return f->probe && !f->alone && f->probe->attach != ATTACH_NEVER && (f->probe->lock_shared | f->probe->lock_excl);
}

static bool group_mode(const struct fn *f, unsigned id, const char **mode)
{
	bool excl = f->probe->lock_excl & 1u << id;

	*mode = excl ? "excl" : "shared";
	return excl || (f->probe->lock_shared & 1u << id);
}

static void put_locks(struct fn *f)
{
	const char *mode;
	int held = -1;

	for (unsigned id = 0; takes_locks(f) && id < STP_MAXLOCKS; id++) {
		if (!group_mode(f, id, &mode))
			continue;
		emit_line(&f->o, "if (unlikely(!stp_lock_%s(c, %u)))", mode, id);
		if (held < 0)
			emit_line(&f->o, "\treturn;");
		else
			emit_line(&f->o, "\tgoto unlock_%d;", held);
		held = (int)id;
	}
}

static void put_unlocks(struct fn *f)
{
	const char *mode;
	bool first = true;

	for (unsigned id = STP_MAXLOCKS; takes_locks(f) && id-- > 0;) {
		if (!group_mode(f, id, &mode))
			continue;
		if (!first)
			emit_label(&f->o, "unlock_%u", id);
		emit_line(&f->o, "stp_unlock_%s(c, %u);", mode, id);
		first = false;
	}
}

/* ---- bodies ---- */

static bool count_one(struct stmt *st, void *data)
{
	*(int64_t *)data += st->kind != ST_BLOCK && st->kind != ST_NULL;
	return false;
}

static void plan_spending(struct fn *f, struct stmt *body)
{
	int64_t n = 0, limit = f->alone ? f->g->maxaction_interruptible : f->g->maxaction;

	visit_stmt(body, count_one, NULL, &n);
	f->spend_blocks = limit > 0 && n > limit;
}

/* The way out and the cold code; then the whole function's text behind its name. */
static char *finish_text(struct fn *f)
{
	GString *out = g_string_new("(struct stp_ctx *c)\n{\n");
	size_t empty = out->len;
	const char *cold = gen_cold(f);

	gen_out_label(f, !takes_locks(f) && !*cold);
	put_unlocks(f);
	if (*cold)
		emit_line(&f->o, "return;");
	g_string_append(f->o.text, cold);
	gen_declarations(f, out);
	if (out->len > empty && f->o.text->len)
		g_string_append_c(out, '\n');
	g_string_append(out, f->o.text->str);
	g_string_append(out, "}\n\n");
	f->g->need = MAX(f->g->need, f->max_bytes);
	return g_string_free(out, FALSE);
}

static const char *pretty_point(struct fn *f)
{
	GString *t = g_string_new(f->probe->point);
	const char *ret;

	for (size_t i = 0; i < t->len; i++)
		if (t->str[i] == '\001') {
			g_string_erase(t, (gssize)i, 1);
			g_string_insert(t, (gssize)i, f->probe->nsites == 1 && f->probe->sites[0].symbol ? f->probe->sites[0].symbol : "*");
		}
	ret = arena_strndup(f->g->s, t->str, t->len);
	g_string_free(t, TRUE);
	return ret;
}

/* Adds the function to the file unless there is one with this text; returns its name. */
static const char *place_function(struct fn *f, const char *prefix, unsigned index, char *text)
{
	struct gen *g = f->g;
	char *key = g_strconcat(prefix, text, NULL);
	const char *name = g_hash_table_lookup(g->interned, key);

	if (!name) {
		name = gen_text(f, "%s_%u", prefix, index);
		g_hash_table_insert(g->interned, key, (char *)name);
		gen_comment(g, gen_text(f, "%s %s, %s:%u", prefix, pretty_point(f), f->probe->loc.src ?
		                        f->probe->loc.src->name : "?", f->probe->loc.line));
		g_string_append_printf(g->code, "static void %s%s", name, text);
	} else {
		g_free(key);
	}
	g_free(text);
	return name;
}

/* ---- conditions ---- */

/* A condition on plain globals can be asked from outside; others are asked by the handler itself. */
static const char *gen_condition(struct gen *g, struct probe *p, unsigned index)
{
	struct fn *f = fn_new(g, p, NULL);
	const char *name = NULL;
	struct val v;

	gen_locals(f, NULL, NULL, &p->condition, 1);
	f->loop_depth = 1; /* read afresh each time */
	v = gen_cond_long(f, p->condition);
	if (!f->o.text->len && !strstr(v.c, "(c") && !strstr(v.c, "c->")) {
		name = gen_text(f, "condition_%u", index);
		g_string_append_printf(g->code, "static bool %s(void)\n{\n\treturn %s%s;\n}\n\n", name, v.c,
		                       v.truth ? "" : " != 0");
	}
	fn_free(f);
	return name;
}

static void put_condition(struct fn *f, struct expr *cond)
{
	struct val v = gen_cond_long(f, cond);

	emit_line(&f->o, "if (!(%s))", v.c);
	emit_line(&f->o, "\tgoto out;");
	f->out_used++;
	if (f->dirty)
		gen_scratch_reset(f);
	f->dirty = false;
}

/* ---- entry handlers ---- */

/* The word of a string says where its buffer begins: code outside of the handler need not know what else is kept. */
static size_t string_words(const struct gen *g)
{
	return (4 + g->maxstr + 7) / 8;
}

size_t gen_saved_words(const struct gen *g, const struct probe *p)
{
	size_t n = p->nsaved;

	for (size_t i = 0; i < p->nsaved; i++)
		if (p->saved[i]->type == TY_STRING)
			n += string_words(g);
	return n;
}

struct val gen_saved(struct fn *f, struct expr *e)
{
	struct val v;

	if (e->ctxval == CTX_RETVAL)
		gen_result_known(f, e);
	if (e->type != TY_STRING)
		return val_text(TY_LONG, gen_text(f, "(s64)c->saved[%lld]", (long long)e->num));
	f->leaf = false;
	v = val_text(TY_STRING, gen_text(f, "stp_buf_get((const struct stp_buf *)&c->saved[c->saved[%lld]])",
	                                 (long long)e->num));
	v.atom = true;
	return v;
}

static void save_value(struct fn *f, struct expr *e, size_t index, size_t *room)
{
	struct val v = gen_expr(f, e);

	if (e->type == TY_STRING) {
		emit_line(&f->o, "c->saved[%zu] = %zu;", index, *room);
		emit_line(&f->o, "stp_buf_set((struct stp_buf *)&c->saved[%zu], %u, %s);", *room, f->g->maxstr, v.c);
		*room += string_words(f->g);
	} else {
		emit_line(&f->o, "c->saved[%zu] = (u64)%s;", index, paren(f, v));
	}
	if (f->dirty)
		gen_scratch_reset(f);
	f->dirty = false;
}

static const char *gen_entry(struct gen *g, struct probe *p, unsigned index)
{
	struct fn *f = fn_new(g, p, NULL);
	size_t room = p->nsaved;
	const char *name;

	f->alone = true; /* takes no locks */
	gen_locals(f, NULL, NULL, p->saved, p->nsaved);
	gen_frame_init(f);
	for (size_t i = 0; i < p->nsaved; i++)
		save_value(f, p->saved[i], i, &room);
	if (room * 8 > SAVED_MAX)
		gen_error(f, p->saved[0]->loc, "entry-size", "%zu bytes would have to be kept from each call's entry, and %d can be; "
		          "-D MAXSTRINGLEN makes strings shorter", room * 8, SAVED_MAX);
	f->leaf = false; /* who calls it looks for errors */
	gen_regex_room(f, 0);
	gen_tokens_begin(f, 0);
	name = place_function(f, "entry", index, finish_text(f));
	fn_free(f);
	return name;
}

/* ---- handlers ---- */

static void gen_probe(struct gen *g, struct probe *p, unsigned index, struct probe_row *row)
{
	struct fn *f;
	size_t at;

	if (p->condition)
		row->condition = gen_condition(g, p, index);
	if (p->nsaved)
		row->entry = gen_entry(g, p, index);
	row->restart = (p->attach == ATTACH_UPROBE || p->attach == ATTACH_URETURN) && gen_is_restartable(g, p);
	f = fn_new(g, p, NULL);
	if (row->restart)
		f->leaf = false; /* who calls it looks for errors */
	gen_locals(f, NULL, p->body, &p->condition, p->condition && !row->condition);
	plan_spending(f, p->body);
	put_locks(f);
	at = f->o.text->len;
	gen_frame_init(f);
	if (p->condition && !row->condition)
		put_condition(f, p->condition);
	gen_body(f, p->body);
	gen_regex_room(f, at);
	gen_tokens_begin(f, at);
	row->handler = place_function(f, "probe", index, finish_text(f));
	row->leaf = f->leaf;
	row->regs = f->regs;
	row->loc = gen_position(g, p->loc, "keyword 'probe'");
	fn_free(f);
}

void gen_probes(struct gen *g)
{
	for (unsigned i = 0; i < g->s->probes->len; i++) {
		struct probe_row *row = arena_alloc(g->s, sizeof(*row));

		gen_probe(g, g_ptr_array_index(g->s->probes, i), i, row);
		g_ptr_array_add(g->rows, row);
	}
}
