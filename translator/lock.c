/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assigning lock groups to globals (lock.h). */
#include "access.h"
#include "lock.h"

#define LOCKS_MAX 32 /* STP_MAXLOCKS of runtime/abi/stp.h */

/* What a unit, with all it calls, does to one global; counts stop at 2. */
struct use {
	unsigned reads, writes;
	unsigned fetches; /* atomic: one alone is a read and an update at one moment */
	bool excl; /* needs exclusion whatever else happens */
};

struct summary {
	GHashTable *uses; /* struct var -> struct use */
	bool done, busy;
};

struct locker {
	struct resolver *r;
	GHashTable *summaries; /* struct unit -> struct summary */
	GHashTable *parent;    /* union-find: struct var -> struct var */
	GHashTable *wanted;    /* struct var: some handler needs it exclusively */
	struct summary *current;
};

static struct use *use_of(struct summary *sum, struct var *v)
{
	struct use *u = g_hash_table_lookup(sum->uses, v);

	if (!u) {
		u = g_new0(struct use, 1);
		g_hash_table_insert(sum->uses, v, u);
	}
	return u;
}

static void bump(unsigned *n, unsigned by)
{
	*n = *n + by > 2 ? 2 : *n + by;
}

static void note_access(struct access_visitor *v, const struct expr *site, struct var *var, enum access how)
{
	struct locker *lk = v->data;
	unsigned times = v->loops ? 2 : 1;
	struct use *u;

	if (var->kind != VAR_GLOBAL)
		return;
	u = use_of(lk->current, var);
	switch (how) {
	case ACC_READ:
	case ACC_TEST:
		bump(&u->reads, times);
		break;
	case ACC_STORE:
		bump(&u->writes, times);
		/* strings are stored in pieces; a wrapping array throws out what others may be using */
		u->excl |= var->type != TY_LONG || (var->arity > 0 && var->wrap);
		break;
	case ACC_ADD:
	case ACC_STAT_ADD:
		bump(&u->writes, times);
		u->excl |= var->arity > 0 && var->wrap;
		break;
	case ACC_FETCH_ADD:
		bump(&u->fetches, times);
		u->excl |= var->arity > 0 && var->wrap;
		break;
	case ACC_MODIFY:
	case ACC_EXCHANGE:
	case ACC_DELETE:
		bump(&u->writes, times);
		u->excl = true;
		break;
	case ACC_STAT_READ:
	case ACC_ITERATE:
		bump(&u->reads, 2);
		u->excl = true;
		break;
	}
}

static struct summary *summarise(struct locker *lk, struct unit *u);

static void note_call(struct access_visitor *v, struct func *f)
{
	struct locker *lk = v->data;
	struct unit *u = g_hash_table_lookup(lk->r->unit_of, f);
	struct summary *caller = lk->current, *callee;
	unsigned times = v->loops || f->recursive ? 2 : 1;
	GHashTableIter it;
	gpointer var, use;

	if (!u)
		return;
	callee = summarise(lk, u);
	lk->current = caller;
	if (callee == caller)
		return;
	g_hash_table_iter_init(&it, callee->uses);
	while (g_hash_table_iter_next(&it, &var, &use)) {
		struct use *to = use_of(caller, var), *from = use;

		bump(&to->reads, from->reads * times);
		bump(&to->writes, from->writes * times);
		bump(&to->fetches, from->fetches * times);
		to->excl |= from->excl;
	}
}

/* Mutually recursive functions: what is missing from a summary under way is in its caller's. */
static struct summary *summarise(struct locker *lk, struct unit *u)
{
	struct summary *sum = g_hash_table_lookup(lk->summaries, u);
	struct access_visitor v = { .access = note_access, .call = note_call, .data = lk };

	if (sum && (sum->done || sum->busy))
		return sum;
	sum = g_new0(struct summary, 1);
	sum->uses = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_hash_table_insert(lk->summaries, u, sum);
	sum->busy = true;
	lk->current = sum;
	visit_unit_accesses(&v, u);
	sum->busy = false;
	/* a partial summary of a cycle must not be kept for callers from outside of it */
	sum->done = !(u->func && u->func->recursive);
	return sum;
}

static void summary_free(gpointer p)
{
	struct summary *sum = p;

	g_hash_table_destroy(sum->uses);
	g_free(sum);
}

/* ---- what a handler needs ---- */

static bool takes_locks(const struct probe *p)
{
	return p->attach != ATTACH_BEGIN && p->attach != ATTACH_END && p->attach != ATTACH_ERROR &&
	       p->attach != ATTACH_NEVER;
}

/* More than one value seen: the handler could notice that they do not belong together. */
static bool observes(const struct summary *sum)
{
	unsigned reads = 0;
	GHashTableIter it;
	gpointer use;

	g_hash_table_iter_init(&it, sum->uses);
	while (g_hash_table_iter_next(&it, NULL, &use))
		reads += ((struct use *)use)->reads + ((struct use *)use)->fetches;
	return reads > 1;
}

static bool needs_excl(const struct use *u, bool observer)
{
	if (u->excl || (u->reads && (u->writes || u->fetches || observer)))
		return true;
	return u->fetches && (u->fetches > 1 || u->writes || observer);
}

static bool is_written(const struct use *u)
{
	return u->writes || u->fetches;
}

static struct var *find_root(struct locker *lk, struct var *v)
{
	struct var *p;

	while ((p = g_hash_table_lookup(lk->parent, v)))
		v = p;
	return v;
}

static void join(struct locker *lk, struct var *a, struct var *b)
{
	a = find_root(lk, a);
	b = find_root(lk, b);
	if (a != b)
		g_hash_table_insert(lk->parent, a, b);
}

/*
 * What a handler holds exclusively it holds as one.  What it only updates stays apart: who could see the two
 * out of step holds both exclusively, and joins them.
 */
static void group_unit(struct locker *lk, struct unit *u)
{
	struct summary *sum = summarise(lk, u);
	bool observer = observes(sum);
	struct var *first = NULL;
	GHashTableIter it;
	gpointer var, use;

	g_hash_table_iter_init(&it, sum->uses);
	while (g_hash_table_iter_next(&it, &var, &use)) {
		if (!needs_excl(use, observer))
			continue;
		g_hash_table_add(lk->wanted, var);
		if (first)
			join(lk, first, var);
		first = var;
	}
}

/* Never written outside of begin and end: no lock, however often it is read. */
static GHashTable *written_globals(struct locker *lk)
{
	GHashTable *written = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < lk->r->units->len; i++) {
		struct unit *u = lk->r->units->pdata[i];
		GHashTableIter it;
		gpointer var, use;

		if (!u->probe || !takes_locks(u->probe))
			continue;
		g_hash_table_iter_init(&it, summarise(lk, u)->uses);
		while (g_hash_table_iter_next(&it, &var, &use))
			if (is_written(use))
				g_hash_table_add(written, var);
	}
	return written;
}

/* Numbers the groups that need a lock, in the order of the globals; more than there are share the last. */
static void number_groups(struct locker *lk, GHashTable *written)
{
	GHashTable *active = g_hash_table_new(NULL, NULL);
	GHashTable *number = g_hash_table_new(NULL, NULL);
	GPtrArray *globals = lk->r->globals;
	int n = 0;

	for (guint i = 0; i < globals->len; i++) {
		struct var *v = globals->pdata[i];

		v->lock = -1;
		if (g_hash_table_contains(lk->wanted, v) && g_hash_table_contains(written, v))
			g_hash_table_add(active, find_root(lk, v));
	}
	for (guint i = 0; i < globals->len; i++) {
		struct var *v = globals->pdata[i], *root = find_root(lk, v);
		gpointer id;

		if (!g_hash_table_contains(active, root) || !g_hash_table_contains(written, v))
			continue;
		if (!g_hash_table_lookup_extended(number, root, NULL, &id)) {
			id = GINT_TO_POINTER(n < LOCKS_MAX ? n++ : LOCKS_MAX - 1);
			g_hash_table_insert(number, root, id);
		}
		v->lock = GPOINTER_TO_INT(id);
	}
	lk->r->s->nlocks = n;
	g_hash_table_destroy(active);
	g_hash_table_destroy(number);
}

static void set_probe_locks(struct locker *lk, struct unit *u)
{
	struct summary *sum = summarise(lk, u);
	bool observer = observes(sum);
	struct probe *p = u->probe;
	GHashTableIter it;
	gpointer var, use;

	g_hash_table_iter_init(&it, sum->uses);
	while (g_hash_table_iter_next(&it, &var, &use)) {
		int lock = ((struct var *)var)->lock;

		if (lock < 0)
			continue;
		if (needs_excl(use, observer))
			p->lock_excl |= 1u << lock;
		else
			p->lock_shared |= 1u << lock;
	}
	p->lock_shared &= ~p->lock_excl;
}

void lock_assign(struct resolver *r)
{
	struct locker lk = {
		.r = r,
		.summaries = g_hash_table_new_full(NULL, NULL, NULL, summary_free),
		.parent = g_hash_table_new(NULL, NULL),
		.wanted = g_hash_table_new(NULL, NULL),
	};
	GHashTable *written = written_globals(&lk);

	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->probe && takes_locks(u->probe))
			group_unit(&lk, u);
	}
	number_groups(&lk, written);
	for (guint i = 0; i < r->units->len; i++) {
		struct unit *u = r->units->pdata[i];

		if (u->probe && takes_locks(u->probe))
			set_probe_locks(&lk, u);
	}
	g_hash_table_destroy(written);
	g_hash_table_destroy(lk.summaries);
	g_hash_table_destroy(lk.parent);
	g_hash_table_destroy(lk.wanted);
}
