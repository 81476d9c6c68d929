/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the pure parts of the runtime (maps, statistics, strings, formatting) need from their surroundings:
 * the kernel, or the C library when they are compiled for user space (unit tests).  Types, zeroed memory, a
 * mutex for process context, random numbers, and the few services that the rest of the runtime provides.
 *
 * Atomics are the compiler's __atomic builtins on both sides.
 */
#ifndef STP_PORT_H
#define STP_PORT_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#define stp_mutex mutex
#define stp_mutex_init(m) mutex_init(m)
#define stp_mutex_lock(m) mutex_lock(m)
#define stp_mutex_unlock(m) mutex_unlock(m)

/* Zeroed memory; process context, may sleep.  NULL when there is none (no kernel warning). */
static inline void *stp_alloc(size_t n)
{
	/* rather none than at the cost of a process that the kernel would end for it */
	return kvzalloc(n, GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
}
static inline void stp_free(const void *p)
{
	kvfree(p);
}
/* alloc.c: zeroed memory from anywhere but NMIs, for stp_free().  NULL when there is none (no kernel warning). */
void *stp_alloc_atomic(size_t n);
static inline void stp_resched(void)
{
	if (need_resched())
		schedule(); /* smaller than cond_resched() */
}
static inline u64 stp_random64(void)
{
	u64 v;

	get_random_bytes(&v, sizeof(v));
	return v;
}

#else /* user space */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

struct stp_mutex { pthread_mutex_t m; };
#define stp_mutex_init(x) pthread_mutex_init(&(x)->m, NULL)
#define stp_mutex_lock(x) pthread_mutex_lock(&(x)->m)
#define stp_mutex_unlock(x) pthread_mutex_unlock(&(x)->m)

static inline void *stp_alloc(size_t n)
{
	return calloc(1, n);
}
static inline void stp_free(const void *p)
{
	free((void *)p);
}
static inline void stp_resched(void)
{
}
static inline u64 stp_random64(void)
{
	u64 v = 0x9e3779b97f4a7c15ULL;

	(void)!getrandom(&v, sizeof(v), 0);
	return v;
}
#endif

#include "stp.h"

#define stp_noinline __attribute__((__noinline__))
#define stp_weak __attribute__((__weak__)) /* linked only where something else needs it */

/*
 * Straight to the functions: the kernel's checked versions take what follows a struct's fixed part (keys behind
 * a node) for an overflow of its last member, and warn or panic in the probe.
 */
#define stp_memcpy __builtin_memcpy
#define stp_memmove __builtin_memmove
#define stp_memset __builtin_memset

/* unaligned loads */
static __always_inline u64 stp_get8(const void *p)
{
	u64 v;

	__builtin_memcpy(&v, p, 8);
	return v;
}
static __always_inline u32 stp_get4(const void *p)
{
	u32 v;

	__builtin_memcpy(&v, p, 4);
	return v;
}

#define stp_load_acq(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define stp_load_rlx(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define stp_store_rel(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define stp_store_rlx(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define stp_cas(p, oldp, v) __atomic_compare_exchange_n(p, oldp, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#define stp_add_ret(p, v) __atomic_add_fetch(p, v, __ATOMIC_ACQ_REL)
#define stp_sub_ret(p, v) __atomic_sub_fetch(p, v, __ATOMIC_ACQ_REL)

/* Number of slots (struct stp_ctx's slot is below it) on a machine with ncpus possible CPUs (nr_cpu_ids). */
static inline u32 stp_slots(u32 ncpus)
{
	return 2 * ncpus + 1;
}

/* Memory that maps and statistics of one script may use together. */
struct stp_budget {
	u64 limit;           /* bytes */
	u64 used;
};
/* Take n bytes from the budget; false, and nothing taken, when they are not there. */
static inline bool stp_budget_take(struct stp_budget *b, u64 n)
{
	if (stp_add_ret(&b->used, n) <= b->limit)
		return true;
	stp_sub_ret(&b->used, n);
	return false;
}
static inline void stp_budget_give(struct stp_budget *b, u64 n)
{
	stp_sub_ret(&b->used, n);
}

/* ---- provided by the rest of the runtime (and by the unit tests) ---- */

/* Some map needs stp_map_refill soon.  Any context including NMI; cheap; may be called again before the refill ran. */
void stp_refill_kick(void);
/* This handler may sleep (begin, end and error probes in process context): pools can be filled on the spot. */
bool stp_may_sleep(const struct stp_ctx *c);
/* Make room for at least n more bytes at o->p (o is not a sprintf's); false: the text is dropped and counted. */
bool stp_sink_more(struct stp_ctx *c, struct stp_sink *o, size_t n);
/* Copy n bytes of kernel memory, fault-safe; false with the error set on a fault. */
bool stp_copy_mem(struct stp_ctx *c, void *dst, u64 addr, size_t n);

/*
 * The error of a handler that met an empty pool although neither limit nor budget is reached: the refill did not
 * keep up.  Compare c->err with it: such a hit is to be counted as skipped, not reported as an error.
 */
extern const char stp_err_starved[];

#endif
