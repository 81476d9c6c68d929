/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The units of pass 2 and which file a piece of code is from (resolve.h). */
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "fold.h"
#include "library.h"
#include "resolve.h"
#include "source.h"
#include "scope.h"

#define MEMORY_MAX ((size_t)4 << 30)

static const struct loc nowhere;

void resolver_init(struct resolver *r, struct session *s)
{
	memset(r, 0, sizeof(*r));
	r->s = s;
	r->units = g_ptr_array_new();
	r->unit_of = g_hash_table_new(NULL, NULL);
	r->globals = g_ptr_array_new();
	r->global_set = g_hash_table_new(NULL, NULL);
	r->meanings = call_meanings_new();
	r->file_of = g_hash_table_new(NULL, NULL);
	r->context = g_hash_table_new(NULL, NULL);
	r->copies = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_destroy);
}

void unit_free(struct unit *u)
{
	g_ptr_array_free(u->locals, TRUE);
	g_ptr_array_free(u->calls, TRUE);
	g_hash_table_destroy(u->names);
}

void resolver_free(struct resolver *r)
{
	for (guint i = 0; i < r->units->len; i++)
		unit_free(r->units->pdata[i]);
	g_ptr_array_free(r->units, TRUE);
	g_hash_table_destroy(r->unit_of);
	g_ptr_array_free(r->globals, TRUE);
	g_hash_table_destroy(r->global_set);
	g_hash_table_destroy(r->meanings);
	g_hash_table_destroy(r->file_of);
	g_hash_table_destroy(r->context);
	g_hash_table_destroy(r->copies);
}

struct file *resolver_file(struct resolver *r, struct loc loc)
{
	struct file *f = loc.src ? g_hash_table_lookup(r->file_of, loc.src) : NULL;
	const GPtrArray *lib;

	if (f || !loc.src)
		return f;
	/* files come as they are needed, so the table is brought up to date when something is missing */
	for (guint i = 0; i < r->s->files->len; i++) {
		f = r->s->files->pdata[i];
		g_hash_table_insert(r->file_of, f->src, f);
	}
	lib = library_files(r->s);
	for (guint i = 0; i < lib->len; i++) {
		f = lib->pdata[i];
		g_hash_table_insert(r->file_of, f->src, f);
	}
	return g_hash_table_lookup(r->file_of, loc.src);
}

static struct unit *unit_new(struct resolver *r)
{
	struct unit *u = arena_alloc(r->s, sizeof(*u));

	u->locals = g_ptr_array_new();
	u->calls = g_ptr_array_new();
	u->names = g_hash_table_new(g_str_hash, g_str_equal);
	g_ptr_array_add(r->units, u);
	return u;
}

struct unit *unit_for_probe(struct resolver *r, struct probe *p)
{
	struct unit *u = unit_new(r);

	u->probe = p;
	u->body = &p->body;
	return u;
}

struct unit *unit_for_func(struct resolver *r, struct func *f, struct file *file)
{
	struct unit *u = unit_new(r);

	u->func = f;
	u->body = &f->body;
	u->file = file;
	g_hash_table_insert(r->unit_of, f, u);
	for (size_t i = 0; i < f->nparams; i++) {
		struct var *v = f->params[i];

		v->kind = VAR_PARAM;
		v->arity = 0;
		v->lock = -1;
		if (v->type != TY_UNKNOWN && !v->type_loc.src)
			v->type_loc = v->loc;
		if (g_hash_table_lookup(u->names, v->name)) {
			diag_error(r->s, v->loc, "duplicate-parameter", "there are two parameters '%s'", v->name);
			continue;
		}
		g_hash_table_insert(u->names, (char *)v->name, v);
	}
	return u;
}

/* ---- reachability ---- */

static void mark_used(struct resolver *r, struct unit *u)
{
	GPtrArray *todo = g_ptr_array_new();

	for (; u; u = todo->len ? g_ptr_array_steal_index_fast(todo, todo->len - 1) : NULL) {
		for (guint i = 0; i < u->calls->len; i++) {
			struct func *f = u->calls->pdata[i];
			struct unit *callee = f->used ? NULL : g_hash_table_lookup(r->unit_of, f);

			f->used = true;
			if (callee)
				g_ptr_array_add(todo, callee);
		}
	}
	g_ptr_array_free(todo, TRUE);
}

void resolver_drop_unused(struct resolver *r)
{
	guint kept = 0;

	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->func)
			u->func->used = false;
	}
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->func && r->s->opt.unoptimized && !u->func->from_library && !u->caller)
			u->func->used = true;
		if (u->probe || u->func->used)
			mark_used(r, u);
	}
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (!u->func || u->func->used) {
			r->units->pdata[kept++] = u;
			continue;
		}
		g_hash_table_remove(r->unit_of, u->func);
		unit_free(u);
	}
	g_ptr_array_set_size(r->units, kept);
}

/* ---- names ---- */

/* A function in embedded C gets a body that stands for what the code does to globals. */
static void give_body(struct resolver *r, struct unit *u)
{
	struct func *f = u->func;

	if (!f || !f->code || f->runtime || f->body)
		return;
	f->body = stmt_new(r->s, ST_EMBEDDED, f->code_loc);
	f->body->code = f->code;
}

static struct unit *unit_of_probe(struct resolver *r, const struct probe *p)
{
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->probe == p)
			return u;
	}
	return NULL;
}

/* A function that nothing calls may ask for what this target does not have: then it is left at that. */
static void lower_idle(struct resolver *r, struct unit *u)
{
	struct diag_capture *cap = diag_capture_begin(r->s);
	bool ok = !*u->body || !target_lower_stmt(r->s, NULL, u->body);

	diag_capture_end(r->s, cap, ok);
	if (!ok)
		*u->body = stmt_new(r->s, ST_NULL, u->func->loc);
}

static int scope_one(struct resolver *r, struct unit *u)
{
	struct probe *p = u->probe;
	size_t nsaved = u->caller ? u->caller->nsaved : 0;
	int ret = 0;

	give_body(r, u);
	if (u->idle)
		lower_idle(r, u);
	else if (*u->body && target_lower_stmt(r->s, unit_probe(u), u->body))
		return -1;
	if (u->caller && u->caller->nsaved > nsaved)
		ret = scope_saved(r, unit_of_probe(r, u->caller), nsaved);
	fold_stmt(r->s, u->body);
	ret |= scope_unit(r, u);
	if (p && p->condition) {
		if (target_lower_expr(r->s, p, &p->condition))
			return -1;
		if (!r->s->opt.unoptimized)
			fold_expr(r->s, &p->condition);
		ret |= scope_condition(r, &p->condition);
	}
	return ret;
}

/* Memory that trees may take: half of the machine's, and no more than MEMORY_MAX. */
static size_t memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? MIN((size_t)pages * size / 2, MEMORY_MAX) : MEMORY_MAX;
}

/* Each of many points has a handler of its own, which $$parms$$ and the like make large. */
static int check_memory(struct resolver *r, const struct unit *u, size_t limit)
{
	const struct probe *p = unit_probe(u);

	if (arena_size(r->s) <= limit)
		return 0;
	diag_error(r->s, p ? p->loc : nowhere, "memory", "the handlers of %u probes take more than %zu MB of memory",
		   r->s->probes->len, limit >> 20);
	diag_help(r->s, "probe fewer points at once, or use less of their variables: $$parms instead of $$parms$$, say");
	return -1;
}

int resolver_scope(struct resolver *r)
{
	size_t limit = memory_limit();
	const struct probe_decl *failed = NULL;
	int ret = 0;

	for (; r->scoped < r->units->len; r->scoped++) { /* grows on the way */
		struct unit *u = r->units->pdata[r->scoped];
		const struct probe *p = unit_probe(u);

		/* what is wrong in one probe's handler is wrong in the copies for its other points */
		if (p && p->decl && p->decl == failed)
			continue;
		if (check_memory(r, u, limit))
			return -1;
		if (!scope_one(r, u))
			continue;
		ret = -1;
		if (p)
			failed = p->decl;
	}
	return ret;
}

static bool find_lowered(struct walker *w, struct expr **pe)
{
	bool *found = w->data;

	*found |= (*pe)->kind == EX_CTXVAL || (*pe)->kind == EX_LOAD || (*pe)->kind == EX_CONV || (*pe)->kind == EX_CSTRING ||
		(*pe)->kind == EX_SAVED;
	return !*found;
}

/* What a context variable was made into says nothing to a reader: then it is the script's text at loc, when that is known. */
static bool describe_source(GString *g, struct session *s, const struct expr *e)
{
	struct expr *copy = (struct expr *)e;
	struct loc at = e->range.len ? e->range : e->loc;
	bool lowered = false;
	struct walker w = { .expr = find_lowered, .data = &lowered };
	const char *line;
	size_t len;

	walk_expr(&w, &copy);
	if (!lowered || !at.src || !at.len)
		return false;
	line = source_line(s, at.src, at.line, &len);
	if (!line || at.col - 1 + at.len > len)
		return false;
	g_string_append_len(g, line + at.col - 1, at.len);
	return true;
}

const char *expr_describe(struct session *s, const struct expr *e)
{
	GString *g = g_string_new(NULL);
	const char *text;

	if (!describe_source(g, s, e))
		print_expr(g, e);
	if (g->len > 60) {
		g_string_truncate(g, 57);
		g_string_append(g, "...");
	}
	text = arena_strdup(s, g->str);
	g_string_free(g, TRUE);
	return text;
}
