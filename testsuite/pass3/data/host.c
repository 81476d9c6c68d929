/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a generated script in user space: the pure parts of the runtime are linked with it, the rest is imitated here.
 * Begin probes run once, then three rounds of all timer probes, then end probes; output goes to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include "map.h"
#include "port.h"
#include "stat.h"

#define ROUNDS 3

struct stp_hook {
	int unused;
};
const struct stp_hook stp_hook_timer, stp_hook_profile, stp_hook_entry, stp_hook_return, stp_hook_tracepoint,
	stp_hook_address;
struct stp_globals_ops {
	int unused;
};
const struct stp_globals_ops stp_globals_ops;
s64 stp_global_set(const void *arg) { return -1; } /* nothing sets globals from outside */
struct stp_lock stp_locks[STP_MAXLOCKS];

static struct stp_budget budget = { .limit = 64 << 20 };
static char *text, *scratch;
static size_t room;
static char message[1024];
static int held[STP_MAXLOCKS], failures;

/* ---- what the runtime would provide ---- */

bool stp_may_sleep(const struct stp_ctx *c)
{
	return true;
}

void stp_refill_kick(void)
{
}

bool stp_copy_mem(struct stp_ctx *c, void *dst, u64 addr, size_t n)
{
	if (addr < 4096) {
		stp_fail(c, "kernel read fault");
		return false;
	}
	memcpy(dst, (void *)(unsigned long)addr, n);
	return true;
}

bool stp_sink_more(struct stp_ctx *c, struct stp_sink *o, size_t n)
{
	size_t used = o->p ? (size_t)(o->p - text) : 0;

	if (used + n > room) {
		room = 2 * (used + n);
		text = realloc(text, room);
	}
	o->p = text + used;
	o->end = o->p + n;
	return true;
}

bool stp_stack_used_up(const struct stp_ctx *c)
{
	return false;
}

void stp_leaf_failed(struct stp_ctx *c)
{
}

u64 stp_load(struct stp_ctx *c, u64 addr, u32 size)
{
	u64 v = 0;

	stp_copy_mem(c, &v, addr, size);
	return v;
}

bool stp_lock_wait(struct stp_ctx *c, struct stp_lock *l, u32 id)
{
	abort();
}

bool stp_lock_excl(struct stp_ctx *c, u32 id)
{
	if (held[id]++)
		abort();
	return true;
}

void stp_unlock_excl(struct stp_ctx *c, u32 id)
{
	if (--held[id])
		abort();
}

static size_t error_text(struct stp_ctx *c, char *buf, size_t size)
{
	const struct stp_pos *p = &stp_script.positions[c->err_pos];

	if (c->err_pos >= stp_script.npositions)
		abort();
	return (size_t)snprintf(buf, size, "%s near %s at %s:%u:%u", c->err, p->what, p->file, p->line, p->col);
}

void stp_fail_str(struct stp_ctx *c, struct stp_str msg)
{
	if (c->err)
		return;
	snprintf(message, sizeof(message), "%.*s", (int)msg.len, msg.p);
	c->err = message;
}

struct stp_str stp_catch(struct stp_ctx *c)
{
	size_t max = stp_script.config->maxstringlen - 1, n;
	const char *err = c->err;
	char *p;

	if (c->err_pos >= stp_script.npositions)
		abort();
	n = strlen(err);
	n = n < max ? n : max;
	c->err = NULL;
	p = stp_tmp(c, n);
	memcpy(p, err, n);
	return (struct stp_str){ p, n };
}

/* ---- functions of the library ---- */

s64 stp_fn_pid(struct stp_ctx *c);
struct stp_str stp_fn_execname(struct stp_ctx *c);
s64 stp_fn_strlen(struct stp_ctx *c, struct stp_str s);
struct stp_str stp_fn_substr(struct stp_ctx *c, struct stp_str s, s64 start, s64 n);
void stp_fn_error(struct stp_ctx *c, struct stp_str msg);

s64 stp_fn_pid(struct stp_ctx *c)
{
	return 42;
}

struct stp_str stp_fn_execname(struct stp_ctx *c)
{
	return STP_STR("bash");
}

s64 stp_fn_strlen(struct stp_ctx *c, struct stp_str s)
{
	return (s64)s.len;
}

struct stp_str stp_fn_substr(struct stp_ctx *c, struct stp_str s, s64 start, s64 n)
{
	s64 len = (s64)s.len;

	start = start < 0 ? 0 : start > len ? len : start;
	n = n < 0 ? 0 : n > len - start ? len - start : n;
	return (struct stp_str){ s.p + start, (size_t)n };
}

void stp_fn_error(struct stp_ctx *c, struct stp_str msg)
{
	stp_fail_str(c, msg);
}

/* ---- running ---- */

static void report(struct stp_ctx *c)
{
	char buf[2048];
	size_t n = error_text(c, buf, sizeof(buf));

	stp_put(c, &c->out, "ERROR: ", 7);
	stp_put(c, &c->out, buf, n);
	stp_put(c, &c->out, "\n", 1);
}

/* What a handler must leave as it found it. */
static void check_left(struct stp_ctx *c)
{
	for (int i = 0; i < STP_MAXLOCKS; i++) {
		if (c->reading[i] || held[i]) {
			fprintf(stderr, "lock %d is still held\n", i);
			failures++;
		}
	}
	if (c->nesting) {
		fprintf(stderr, "nesting is %u\n", c->nesting);
		failures++;
	}
}

static void run(struct stp_ctx *c, const struct stp_probe *p)
{
	c->err = NULL;
	c->err_pos = ~0u;
	c->scratch = scratch;
	c->probe = p;
	memset(scratch, 0xa5, (size_t)(c->scratch_end - scratch));
	c->actions = p->kind <= STP_ERROR ? stp_script.config->maxaction_interruptible : stp_script.config->maxaction;
	if (p->condition && !p->condition())
		return;
	p->handler(c);
	check_left(c);
	if (c->err)
		report(c);
}

static void run_all(struct stp_ctx *c, u8 kind)
{
	for (u32 i = 0; i < stp_script.nprobes; i++)
		if (stp_script.probes[i].kind == kind)
			run(c, &stp_script.probes[i]);
}

static void make_globals(void)
{
	for (u32 i = 0; i < stp_script.nglobals; i++) {
		const struct stp_global *g = &stp_script.globals[i];

		if (g->kind == STP_G_MAP)
			*(struct stp_map **)g->var = stp_map_create(g, stp_script.config, 4, &budget);
		if (g->kind == STP_G_STATS)
			*(struct stp_stat **)g->var = stp_stat_create(g->stat, 4, &budget);
	}
}

static void free_globals(void)
{
	for (u32 i = 0; i < stp_script.nglobals; i++) {
		const struct stp_global *g = &stp_script.globals[i];

		if (g->kind == STP_G_MAP)
			stp_map_destroy(*(struct stp_map **)g->var);
		if (g->kind == STP_G_STATS)
			stp_stat_destroy(*(struct stp_stat **)g->var);
	}
}

int main(void)
{
	struct stp_ctx *c = calloc(1, sizeof(*c));

	scratch = malloc(stp_script.config->scratch_size);
	c->scratch_end = scratch + stp_script.config->scratch_size;
	c->slot = 8;
	make_globals();
	run_all(c, STP_BEGIN);
	for (int i = 0; i < ROUNDS; i++)
		run_all(c, STP_TIMER);
	run_all(c, STP_END);
	fwrite(text, 1, c->out.p ? (size_t)(c->out.p - text) : 0, stdout);
	free_globals();
	free(scratch);
	free(text);
	free(c);
	return failures != 0;
}
