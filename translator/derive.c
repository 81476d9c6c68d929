/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Alias expansion and derivation of probes (derive.h). */
#include <stdio.h>
#include <string.h>
#include "alias_match.h"
#include "arena.h"
#include "derive.h"
#include "library.h"
#include "name_glob.h"
#include "scope.h"

/* The aliases gone through on the way to a point, the outermost last. */
struct link {
	struct probe_decl *alias;
	const struct link *up;
};

#define STEPS_MAX 20000 /* points looked at for one probe: aliases of aliases multiply */

struct deriver {
	struct session *s;
	struct resolver *r;
	struct probe_decl *decl;
	const struct point *first; /* the point as written */
	const char *name;          /* name for lists, NULL before the first alias */
	bool each_site;
	unsigned steps;
	struct expr *condition;
	GPtrArray *out;
};

static int derive_point(struct deriver *dv, struct point *p, const struct link *chain);

static const char *point_string_of(struct session *s, const struct point *p)
{
	GString *g = g_string_new(NULL);
	struct point bare = *p;
	const char *text;

	bare.optional = bare.sufficient = false;
	bare.condition = NULL;
	print_point(g, &bare);
	text = arena_strdup(s, g->str);
	g_string_free(g, TRUE);
	return text;
}

/* ---- handler bodies ---- */

/* Does the probe come through an alias of a system call?  Then int_arg(1) and the like are the call's arguments there. */
static bool through_syscall(const struct link *chain)
{
	bool found = false;

	for (; chain && !found; chain = chain->up) {
		const struct point *name = chain->alias->names[0];

		found = name->ncomps > 1 && (!strcmp(name->comps[0].name, "syscall") || !strcmp(name->comps[0].name, "nd_syscall") ||
					     !strcmp(name->comps[0].name, "dw_syscall"));
	}
	return found;
}

static bool chain_uses_target(const struct deriver *dv, const struct link *chain)
{
	bool found = stmt_needs_context(dv->r, dv->decl->body) || expr_needs_context(dv->r, dv->condition);

	for (; chain && !found; chain = chain->up)
		found = stmt_needs_context(dv->r, chain->alias->body);
	return found;
}

/* Innermost alias first for prologues, last for epilogues: the chain's own order. */
static struct stmt *make_body(struct deriver *dv, const struct link *chain)
{
	struct session *s = dv->s;
	struct stmt *block = stmt_new(s, ST_BLOCK, dv->decl->loc);
	GPtrArray *list = g_ptr_array_new();
	GPtrArray *after = g_ptr_array_new();

	for (const struct link *l = chain; l; l = l->up)
		if (l->alias->body)
			g_ptr_array_add(l->alias->epilogue ? after : list, stmt_copy(s, l->alias->body));
	if (dv->decl->body)
		g_ptr_array_add(list, stmt_copy(s, dv->decl->body));
	for (guint i = after->len; i-- > 0;)
		g_ptr_array_add(list, after->pdata[i]);
	g_ptr_array_free(after, TRUE);
	block->list = (struct stmt **)arena_take(s, list, &block->nlist);
	return block;
}

static struct expr *join_conditions(struct session *s, struct expr *a, struct expr *b)
{
	struct expr *e;

	if (!a || !b)
		return a ? a : b;
	e = expr_new(s, EX_LOGAND, b->loc);
	e->a = a;
	e->b = b;
	return e;
}

/* ---- errors ---- */

/* "perf" or "perf.*", where all points have more words. */
static bool is_too_short(const char *text, const GPtrArray *names)
{
	size_t n = strlen(text) - (g_str_has_suffix(text, ".*") ? 2 : 0);
	bool is = false;

	for (guint i = 0; !is && i < names->len; i++)
		is = !strncmp(names->pdata[i], text, n) && ((const char *)names->pdata[i])[n] == '.';
	return is;
}

/* The nearest thing there is to a point that nothing matches. */
static void help_unknown(struct deriver *dv, const struct point *p)
{
	GPtrArray *names = library_names(dv->s, LIB_ALIAS);
	const char *near, *text = point_string_of(dv->s, p);

	for (const char *const *line = provider_patterns(); *line; line++)
		g_ptr_array_add(names, (char *)*line);
	for (guint i = 0; i < dv->s->files->len; i++) {
		struct file *f = dv->s->files->pdata[i];

		for (guint a = 0; a < f->aliases->len; a++) {
			struct probe_decl *d = f->aliases->pdata[a];

			for (size_t n = 0; n < d->nnames; n++)
				g_ptr_array_add(names, (char *)point_string_of(dv->s, d->names[n]));
		}
	}
	near = diag_nearest(text, names);
	/* the name itself: its library file could not be parsed, which was reported */
	if (near && strcmp(near, text))
		diag_help(dv->s, "did you mean '%s'?", near);
	else if (is_too_short(text, names))
		diag_help(dv->s, "what there is has more words: see stap -l '%.*s.**'", (int)(strlen(text) - (g_str_has_suffix(text, ".*") ? 2 : 0)), text);
	else if (p->ncomps == 1)
		diag_help(dv->s, "see 'stap -l \"*\"' and 'stap --dump-probe-types' for what there is");
	g_ptr_array_free(names, TRUE);
}

/* Kinds of probes that the language has and that are not built yet. */
static const char *missing_kind(const struct point *p)
{
	static const struct {
		const char *word, *what;
	} kinds[] = {
		{ "java", "Java probes" },
		{ "python", "Python probes" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (!strcmp(p->comps[0].name, kinds[i].word))
			return kinds[i].what;
	return NULL;
}

static int error_unknown(struct deriver *dv, const struct point *p, const struct link *chain)
{
	const char *missing = missing_kind(p);

	if (missing)
		return diag_error(dv->s, p->loc, "not-yet", "%s are not there yet", missing);
	diag_error(dv->s, p->loc, "unknown-point", "no probe point matches '%s'", point_string_of(dv->s, p));
	help_unknown(dv, p);
	for (; chain; chain = chain->up)
		diag_note(dv->s, chain->alias->loc, "through the alias '%s'",
			  point_string_of(dv->s, chain->alias->names[0]));
	return -1;
}

/* ---- expansion ---- */

/* One name of an alias that a point stands for. */
struct candidate {
	struct probe_decl *alias;
	const char *name;
	size_t taken; /* components of the point that it covers */
};

static bool in_chain(const struct probe_decl *d, const struct link *chain)
{
	for (; chain; chain = chain->up)
		if (chain->alias == d)
			return true;
	return false;
}

static void free_index(void *index)
{
	g_hash_table_destroy(index);
}

static void index_aliases(struct session *s, struct file *f)
{
	f->alias_index = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
	arena_defer(s, free_index, f->alias_index);
	for (guint i = 0; i < f->aliases->len; i++) {
		struct probe_decl *d = f->aliases->pdata[i];

		for (size_t n = 0; n < d->nnames; n++) {
			const char *first = d->names[n]->ncomps ? d->names[n]->comps[0].name : "";
			GPtrArray *same = g_hash_table_lookup(f->alias_index, first);

			if (!same) {
				same = g_ptr_array_new();
				g_hash_table_insert(f->alias_index, (char *)first, same);
			}
			if (!same->len || same->pdata[same->len - 1] != d)
				g_ptr_array_add(same, d);
		}
	}
}

/* The aliases of a file that a point may stand for: most differ in the first word already. */
static const GPtrArray *aliases_like(struct session *s, struct file *f, const struct point *p)
{
	if (name_is_glob(p->comps[0].name))
		return f->aliases;
	if (!f->alias_index)
		index_aliases(s, f);
	return g_hash_table_lookup(f->alias_index, p->comps[0].name);
}

static void collect_from(struct deriver *dv, struct file *f, const struct point *p,
			 const struct link *chain, GArray *out, bool *recursive)
{
	const GPtrArray *aliases = aliases_like(dv->s, f, p);

	for (guint i = 0; aliases && i < aliases->len; i++) {
		struct probe_decl *d = aliases->pdata[i];

		for (size_t n = 0; n < d->nnames; n++) {
			struct candidate c = { .alias = d };
			const struct point *np = d->names[n];

			if (!np->ncomps || !name_glob(p->comps[0].name, np->comps[0].name))
				continue;
			c.name = point_string_of(dv->s, np);
			c.taken = alias_match(c.name, p);
			if (!c.taken)
				continue;
			if (in_chain(d, chain))
				*recursive = true;
			else
				g_array_append_val(out, c);
		}
	}
}

static bool extends(const char *longer, const char *shorter)
{
	size_t n = strlen(shorter);

	return !strncmp(longer, shorter, n) && longer[n] == '.';
}

/* "a.b" with the suffix "c" is not meant where there is an alias "a.b.c". */
static bool is_shadowed(const GArray *all, const struct candidate *c)
{
	for (guint i = 0; i < all->len; i++) {
		const struct candidate *o = &g_array_index(all, struct candidate, i);

		if (o->taken > c->taken && extends(o->name, c->name))
			return true;
	}
	return false;
}

static struct point *with_suffix(struct session *s, const struct point *base, const struct point *p, size_t from,
				 struct loc loc)
{
	struct point *np = arena_alloc(s, sizeof(*np));

	*np = *base;
	np->loc = loc.src ? loc : base->loc;
	np->ncomps = base->ncomps + p->ncomps - from;
	np->comps = arena_alloc(s, np->ncomps * sizeof(*np->comps));
	memcpy(np->comps, base->comps, base->ncomps * sizeof(*np->comps));
	memcpy(np->comps + base->ncomps, p->comps + from, (p->ncomps - from) * sizeof(*np->comps));
	return np;
}

/* Ends an attempt that may fail: what failed goes, with its probes and messages.  Returns how many probes stay. */
static int end_try(struct deriver *dv, struct diag_capture *cap, guint before, int got)
{
	diag_capture_end(dv->s, cap, got > 0);
	if (got < 0)
		g_ptr_array_set_size(dv->out, before);
	return got < 0 ? 0 : got;
}

/* Counts of probes; -1, an error, stays. */
static int add_up(int total, int got)
{
	return got < 0 || total < 0 ? -1 : total + got;
}

/* A list of points, the user's or an alias': `?` and `!` belong to it.  Returns how many probes came, -1. */
static int derive_list(struct deriver *dv, struct point **points, size_t n, const struct point *suffix, size_t from,
		       const struct link *chain)
{
	int total = 0;

	for (size_t i = 0; i < n; i++) {
		struct expr *saved = dv->condition;
		struct point *p = points[i];
		struct diag_capture *cap = NULL;
		guint before = dv->out->len;
		int got;

		if (suffix)
			p = with_suffix(dv->s, points[i], suffix, from, points[i]->loc);
		else
			dv->first = p;
		dv->condition = join_conditions(dv->s, saved, points[i]->condition);
		if (p->optional || p->sufficient)
			cap = diag_capture_begin(dv->s);
		got = derive_point(dv, p, chain);
		dv->condition = saved;
		if (cap) {
			if (got <= 0 && dv->s->opt.verbose[0] && diag_capture_first(cap))
				fprintf(stderr, "optional probe point %s: %s\n", point_string_of(dv->s, p),
					diag_capture_first(cap));
			got = end_try(dv, cap, before, got);
		}
		total = add_up(total, got);
		if (p->sufficient && got > 0)
			break;
	}
	return total;
}

static const char *listed_name(struct deriver *dv, const struct candidate *c, const struct point *p)
{
	struct point rest = *p;

	rest.comps += c->taken;
	rest.ncomps -= c->taken;
	if (!rest.ncomps)
		return c->name;
	return arena_printf(dv->s, "%s.%s", c->name, point_string_of(dv->s, &rest));
}

/* All aliases that p stands for.  -1: one failed that was named without wildcards. */
static int derive_aliases(struct deriver *dv, const GArray *all, const struct point *p, const struct link *chain)
{
	bool glob = point_is_glob(p);
	int total = 0;

	for (guint i = 0; i < all->len; i++) {
		const struct candidate *c = &g_array_index(all, struct candidate, i);
		struct link link = { c->alias, chain };
		struct diag_capture *cap = NULL;
		const char *name = dv->name;
		guint before = dv->out->len;
		int got;

		if (dv->steps > STEPS_MAX)
			return -1;
		if (is_shadowed(all, c))
			continue;
		if (!dv->name)
			dv->name = listed_name(dv, c, p);
		if (glob)
			cap = diag_capture_begin(dv->s);
		got = derive_list(dv, c->alias->points, c->alias->npoints, p, c->taken, &link);
		dv->name = name;
		if (cap)
			got = end_try(dv, cap, before, got);
		total = add_up(total, got);
	}
	return total;
}

static int derive_builtin(struct deriver *dv, const struct provider *pr, struct point *p, const struct link *chain)
{
	GPtrArray *found = g_ptr_array_new();
	bool target = (dv->each_site && !chain) || chain_uses_target(dv, chain);
	int n = pr->derive(dv->s, dv->decl, p, target, found) ? -1 : (int)found->len;

	for (guint i = 0; n > 0 && i < found->len; i++) {
		struct probe *probe = found->pdata[i];
		struct derived *d = arena_alloc(dv->s, sizeof(*d));

		if (probe->dropped)
			continue;
		probe->decl = dv->decl;
		probe->provider = pr;
		probe->name = dv->name;
		probe->pattern = point_string_of(dv->s, dv->first);
		if (probe->attach == ATTACH_ENTRY && through_syscall(chain))
			probe->sub = ENTRY_SYSCALL;
		probe->loc = dv->first->loc;
		probe->body = make_body(dv, chain);
		probe->condition = join_conditions(dv->s, probe->condition,
						   dv->condition ? expr_copy(dv->s, dv->condition) : NULL);
		d->probe = probe;
		d->from_alias = chain != NULL;
		d->name = dv->name ? dv->name : probe->point;
		g_ptr_array_add(dv->out, d);
	}
	g_ptr_array_free(found, TRUE);
	return n;
}

/* For lists: a wildcard stands for words with an argument too, which are shown as they are documented. */
static bool list_pattern(struct deriver *dv, const char *pattern, const struct point *p)
{
	const char *name = dv->each_site ? pattern_as_listed(dv->s, pattern, p) : NULL;
	struct derived *d;

	if (!name)
		return false;
	d = arena_alloc(dv->s, sizeof(*d));
	d->name = name;
	g_ptr_array_add(dv->out, d);
	return true;
}

/*
 * Wildcards over the built-in words: kernel.function("f").* or timer.*.  Only words without an argument are meant, as
 * nobody knows one.
 */
static int derive_words(struct deriver *dv, const struct point *p, const struct link *chain)
{
	int total = 0;

	for (const char *const *line = provider_patterns(); *line; line++) {
		struct point *np = point_from_pattern(dv->s, *line, p);
		const struct provider *pr = np ? provider_find(np) : NULL;
		struct diag_capture *cap;
		guint before = dv->out->len;
		int got;

		total += list_pattern(dv, *line, p);
		if (!pr)
			continue;
		cap = diag_capture_begin(dv->s);
		got = derive_builtin(dv, pr, np, chain);
		diag_capture_end(dv->s, cap, got > 0);
		if (got < 0)
			g_ptr_array_set_size(dv->out, before);
		total += got > 0 ? got : 0;
	}
	return total;
}

static int error_none(struct deriver *dv, const struct point *p, bool recursive, const struct link *chain)
{
	if (recursive) {
		diag_error(dv->s, p->loc, "recursive-alias", "recursive loop in alias expansion of '%s'",
			   point_string_of(dv->s, p));
		return -1;
	}
	return error_unknown(dv, p, chain);
}

/* Derives one point.  Returns the number of probes (at least one), or -1 after diag_error. */
static int derive_point(struct deriver *dv, struct point *p, const struct link *chain)
{
	GArray *all;
	const struct provider *pr = provider_find(p);
	const GPtrArray *lib;
	bool recursive = false;
	int n = 0;

	if (dv->steps >= STEPS_MAX) {
		if (dv->steps++ == STEPS_MAX)
			diag_error(dv->s, dv->decl->loc, "too-many-points", "this probe leads through more than %d points and"
				   " aliases", STEPS_MAX);
		return -1;
	}
	dv->steps++;
	all = g_array_new(FALSE, FALSE, sizeof(struct candidate));
	for (guint i = 0; i < dv->s->files->len; i++)
		collect_from(dv, dv->s->files->pdata[i], p, chain, all, &recursive);
	library_require_aliases(dv->s, p);
	lib = library_files(dv->s);
	for (guint i = 0; i < lib->len; i++)
		collect_from(dv, lib->pdata[i], p, chain, all, &recursive);
	if (all->len)
		n = derive_aliases(dv, all, p, chain);
	if (n >= 0 && point_is_glob(p))
		n += derive_words(dv, p, chain);
	if (pr && n == 0 && !all->len)
		n = derive_builtin(dv, pr, p, chain);
	if (n == 0 && !p->optional && !p->sufficient)
		n = error_none(dv, p, recursive, chain);
	g_array_free(all, TRUE);
	return n;
}

int derive_decl(struct resolver *r, struct probe_decl *d, bool each_site, GPtrArray *out)
{
	struct deriver dv = { .s = r->s, .r = r, .decl = d, .each_site = each_site, .out = out };

	return derive_list(&dv, d->points, d->npoints, NULL, 0, NULL) < 0 ? -1 : 0;
}

int derive_file(struct resolver *r, struct file *f, GPtrArray *probes)
{
	GPtrArray *out = g_ptr_array_new();
	int ret = 0;

	for (guint k = 0; k < f->probes->len; k++)
		if (derive_decl(r, f->probes->pdata[k], false, out))
			ret = -1;
	for (guint i = 0; i < out->len; i++)
		g_ptr_array_add(probes, ((struct derived *)out->pdata[i])->probe);
	g_ptr_array_free(out, TRUE);
	return ret;
}
