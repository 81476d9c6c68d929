/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of processes and threads: process(...).begin .end .thread.begin .thread.end .syscall .syscall.return.  In the last
 * two, $syscall, $arg1 to $arg6 and $return.
 */
#include <string.h>

#include "probe_process.h"
#include "task_events.h"
#include "target.h"

static int read_event(struct user_point *up, int64_t *event)
{
	static const struct {
		const char *first, *second;
		int64_t event;
	} events[] = {
		{ "begin", NULL, TASK_BEGIN }, { "end", NULL, TASK_END }, { "thread", "begin", TASK_THREAD_BEGIN },
		{ "thread", "end", TASK_THREAD_END }, { "syscall", NULL, TASK_SYSCALL }, { "syscall", "return", TASK_SYSCALL_RETURN },
	};
	static const char *const of_thread[] = { "begin", "end", NULL }, *const of_syscall[] = { "return", NULL };
	const struct point *p = up->p;
	size_t i = up->at, n;

	for (size_t k = 0; k < G_N_ELEMENTS(events); k++) {
		n = events[k].second ? 2 : 1;
		if (p->ncomps != i + n || !point_has(p, i, events[k].first) || (n > 1 && !point_has(p, i + 1, events[k].second)))
			continue;
		*event = events[k].event;
		if (point_no_arg(up->s, p, i))
			return -1;
		return n > 1 ? point_no_arg(up->s, p, i + 1) : 0;
	}
	if (i + 1 < p->ncomps)
		return point_unknown(up->s, p, i + 1, point_has(p, i, "thread") ? of_thread : of_syscall);
	return diag_error(up->s, p->loc, "unknown-probe-point", "'%s' is no probe point: say .thread.begin or .thread.end", point_text(up->s, p));
}

int user_derive_task(struct user_point *up, const GArray *objects)
{
	int64_t event = TASK_BEGIN;

	if (read_event(up, &event))
		return -1;
	for (guint i = 0; i < objects->len; i++) {
		const struct user_object *o = &g_array_index(objects, struct user_object, i);
		GString *rest = g_string_new(NULL);
		struct probe *p;

		for (size_t k = up->at; k < up->p->ncomps; k++)
			g_string_append_printf(rest, ".%s", up->p->comps[k].name);
		p = user_probe_new(up, o, ATTACH_TASK, rest->str);
		g_string_free(rest, TRUE);
		p->arg = event;
		if (user_probe_places(up->s, p, o, NULL, 0, up->p->optional))
			return -1;
		g_ptr_array_add(up->out, p);
	}
	return 0;
}

/* ---- context variables ---- */

/* Offsets in struct pt_regs. */
enum { REG_AX = 80, REG_ORIG_AX = 120, REG_CS = 136 };
enum { USER32_CS = 0x23 };
static const unsigned args_64[] = { 112, 104, 96, 56, 72, 64 }; /* di si dx r10 r8 r9 */
static const unsigned args_32[] = { 40, 88, 96, 104, 112, 32 }; /* bx cx dx si di bp */

/* A 32-bit program has its arguments in other registers. */
static struct expr *argument(struct session *s, unsigned n, struct loc loc)
{
	struct expr *e = expr_new(s, EX_COND, loc);

	e->type = TY_LONG;
	e->a = lowered_binary(s, OP_EQ, lowered_reg(s, REG_CS, loc), lowered_num(s, USER32_CS, loc), loc);
	e->b = lowered_conv(s, lowered_reg(s, args_32[n], loc), 4, false, loc);
	e->c = lowered_reg(s, args_64[n], loc);
	return e;
}

static struct expr *value_of(struct session *s, const struct probe *p, const char *name, struct loc loc)
{
	if (p->arg != TASK_SYSCALL && p->arg != TASK_SYSCALL_RETURN)
		return NULL;
	if (!strcmp(name, "$syscall"))
		return lowered_reg(s, REG_ORIG_AX, loc);
	if (!strcmp(name, "$return") && p->arg == TASK_SYSCALL_RETURN)
		return lowered_reg(s, REG_AX, loc);
	if (!strncmp(name, "$arg", 4) && name[4] >= '1' && name[4] <= '6' && !name[5])
		return argument(s, name[4] - '1', loc);
	return NULL;
}

static const char *const names[] = { "$syscall", "$arg1", "$arg2", "$arg3", "$arg4", "$arg5", "$arg6", "$return", NULL };

static struct expr *all_values(struct session *s, const struct probe *p, struct expr *e)
{
	struct types_module *kernel = types_module(session_types(s), NULL);
	struct place places[G_N_ELEMENTS(names)];
	const char *texts[G_N_ELEMENTS(names)];
	size_t n = 0;

	for (size_t i = 0; names[i]; i++) {
		struct expr *v = value_of(s, p, names[i], e->loc);

		if (!v)
			continue;
		places[n] = place_value(types_named(kernel, "long"), kernel, names[i], v);
		texts[n++] = names[i] + 1;
	}
	return pretty_list(s, places, texts, n, e->loc, e);
}

struct expr *user_task_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	GPtrArray *list;
	struct expr *v;

	if (e->kind == EX_ENTRY) {
		diag_error(s, e->loc, "misplaced-entry", "@entry() has a meaning in .return probes of functions only");
		return NULL;
	}
	if (!strcmp(e->name, "$$vars") || !strcmp(e->name, "$$parms"))
		return all_values(s, p, e);
	v = value_of(s, p, e->name, e->loc);
	if (v && !e->ncomps && !e->addrof && !lvalue)
		return v;
	if (v) {
		diag_error(s, e->loc, lvalue ? "not-assignable" : "not-a-struct", lvalue ? "%s cannot be assigned to" :
			   "%s is a plain number: @cast(%s, \"TYPE\") gives it a type", e->name, e->name);
		return NULL;
	}
	list = g_ptr_array_new();
	for (size_t i = 0; names[i]; i++)
		if (value_of(s, p, names[i], e->loc))
			g_ptr_array_add(list, (char *)names[i]);
	target_unknown(s, e, arena_printf(s, "probe %s has no variable", p->point), list);
	g_ptr_array_free(list, TRUE);
	return NULL;
}

void user_task_vars(struct session *s, struct probe *p, GString *out)
{
	for (size_t i = 0; names[i]; i++)
		if (value_of(s, p, names[i], p->loc))
			g_string_append_printf(out, " %s:long", names[i]);
}
