/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of processes' mappings: process(...).vma.map .unmap .protect .move.  Numbers are words of c->args, texts are kept by the
 * runtime (runtime/module/hook_vma.c).
 */
#include <string.h>

#include "probe_process.h"
#include "task_events.h"
#include "target.h"

static const char *const events[] = { [VMA_MAP] = "map", [VMA_UNMAP] = "unmap", [VMA_PROTECT] = "protect", [VMA_MOVE] = "move", NULL };

/* The number of the event, -1 after diag_error. */
static int read_event(struct user_point *up)
{
	const struct point *p = up->p;
	size_t i = up->at + 1;

	if (up->at > 1)
		return diag_error(up->s, p->comps[1].loc, "unknown-probe-point", "mappings are a process's, not a library's: say process(...).vma");
	if (point_no_arg(up->s, p, up->at))
		return -1;
	if (i >= p->ncomps)
		return diag_error(up->s, p->loc, "unknown-probe-point", "'%s' is no probe point: say .vma.map, .unmap, .protect or .move",
				  point_text(up->s, p));
	for (int e = 0; events[e]; e++) {
		if (!point_has(p, i, events[e]))
			continue;
		if (point_no_arg(up->s, p, i))
			return -1;
		return i + 1 < p->ncomps ? point_unknown(up->s, p, i + 1, NULL) : e;
	}
	return point_unknown(up->s, p, i, events);
}

int user_derive_vma(struct user_point *up, const GArray *objects)
{
	int event = read_event(up);

	if (event < 0)
		return -1;
	for (guint i = 0; i < objects->len; i++) {
		const struct user_object *o = &g_array_index(objects, struct user_object, i);
		struct probe *p = user_probe_new(up, o, ATTACH_VMA, arena_printf(up->s, ".vma.%s", events[event]));

		p->arg = event;
		if (user_probe_places(up->s, p, o, NULL, 0, up->p->optional))
			return -1;
		g_ptr_array_add(up->out, p);
	}
	return 0;
}

/* ---- context variables ---- */

enum { ANY = 15, PROTECT = 1 << VMA_PROTECT, MOVE = 1 << VMA_MOVE };

static const struct variable {
	const char *name;
	unsigned where;            /* bits of events */
	int word;                  /* of c->args; -1: text, -2: number that stp_vma_NAME() gives */
} variables[] = {
	{ "$start", ANY, VMA_START }, { "$end", ANY, VMA_END }, { "$offset", ANY, VMA_OFFSET }, { "$pgoff", ANY, VMA_OFFSET },
	{ "$flags", ANY, VMA_FLAGS }, { "$old_flags", PROTECT, VMA_OLD }, { "$old_start", MOVE, VMA_OLD },
	{ "$path", ANY, -1 }, { "$perms", ANY, -1 }, { "$dev", ANY, -2 }, { "$inode", ANY, -2 },
};

static struct expr *value_of(struct session *s, const struct variable *v, const struct expr *e)
{
	struct expr *word;

	if (v->word < 0)
		return named_value(s, e, arena_printf(s, "vma_%s", v->name + 1), v->word == -1 ? TY_STRING : TY_LONG);
	if (e->kind != EX_TARGET || e->ncomps || e->addrof) {
		diag_error(s, e->loc, "not-a-struct", "%s is a plain number: it has no members and no address", e->name);
		return NULL;
	}
	word = lowered_arg(s, (unsigned)v->word, e->loc);
	return strcmp(v->name, "$pgoff") ? word : lowered_binary(s, OP_SHR, word, lowered_num(s, 12, e->loc), e->loc);
}

struct expr *user_vma_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	GPtrArray *names;

	if (e->kind == EX_ENTRY) {
		diag_error(s, e->loc, "misplaced-entry", "@entry() has a meaning in .return probes of functions only");
		return NULL;
	}
	names = g_ptr_array_new();
	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++) {
		const struct variable *v = &variables[i];

		if (!(v->where & 1u << p->arg))
			continue;
		g_ptr_array_add(names, (char *)v->name);
		if (!e->name || strcmp(v->name, e->name))
			continue;
		g_ptr_array_free(names, TRUE);
		if (!lvalue)
			return value_of(s, v, e);
		diag_error(s, e->loc, "not-assignable", "%s cannot be assigned to", e->name);
		return NULL;
	}
	target_unknown(s, e, arena_printf(s, "probe %s has no variable", p->point), names);
	g_ptr_array_free(names, TRUE);
	return NULL;
}

void user_vma_vars(struct session *s, struct probe *p, GString *out)
{
	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
		if (variables[i].where & 1u << p->arg)
			g_string_append_printf(out, " %s:%s", variables[i].name, variables[i].word == -1 ? "string" : "long");
}
