/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the pure parts of the runtime need from the rest of it, for unit tests: a configuration, contexts
 * with scratch memory, and a sink that collects output.  Included once by each test program.
 */
#ifndef RT_ENV_H
#define RT_ENV_H

#include <stdio.h>
#include <stdlib.h>
#include "port.h"

#define ENV_CPUS 4

static struct stp_config env_config = { .maxstringlen = 64 };
const struct stp_script stp_script = { .abi = STP_ABI, .config = &env_config };

static bool env_may_sleep;
static int env_kicks;
static char env_out[1 << 16];
static size_t env_room = sizeof(env_out);

bool stp_may_sleep(const struct stp_ctx *c)
{
	return env_may_sleep;
}

void stp_refill_kick(void)
{
	__atomic_fetch_add(&env_kicks, 1, __ATOMIC_RELAXED);
}

/* The sink begins empty; room comes as it is asked for, so that every bounds check is met. */
bool stp_sink_more(struct stp_ctx *c, struct stp_sink *o, size_t n)
{
	size_t used = o->p - env_out;

	if (used + n > env_room)
		return false;
	o->end = o->p + n;
	return true;
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

static __attribute__((unused)) struct stp_ctx *env_ctx(u32 slot, size_t scratch)
{
	struct stp_ctx *c = calloc(1, sizeof(*c));

	c->slot = slot;
	c->scratch = malloc(scratch);
	c->scratch_end = c->scratch + scratch;
	c->out.p = c->out.end = env_out;
	return c;
}

static __attribute__((unused)) void env_free(struct stp_ctx *c, void *scratch)
{
	free(scratch);
	free(c);
}

/* What was printed since the last call, as a string. */
static __attribute__((unused)) const char *env_text(struct stp_ctx *c)
{
	static char text[sizeof(env_out) + 1];
	size_t n = c->out.p - env_out;

	memcpy(text, env_out, n);
	text[n] = 0;
	c->out.p = c->out.end = env_out;
	return text;
}

/* A view in memory of exactly its size, so that reading beyond it is found; free .p. */
static __attribute__((unused)) struct stp_str env_view(const char *s, size_t n)
{
	char *p = malloc(n ? n : 1);

	memcpy(p, s, n);
	return (struct stp_str){ p, n };
}

static __attribute__((unused)) u64 env_random(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

#endif
