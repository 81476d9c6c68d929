/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Library functions about a task, STP_TASK(c), compiled twice: for the current one (fn_task.c), and for the one that
 * an event is about (fn_subject.c).
 */
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "fn.h"
#include "compat/rcu.h"

s64 stp_fn_task_current(struct stp_ctx *c)
{
	return (s64)(unsigned long)STP_TASK(c);
}

s64 stp_fn_pid(struct stp_ctx *c)
{
	return STP_TASK(c)->tgid;
}

s64 stp_fn_tid(struct stp_ctx *c)
{
	return STP_TASK(c)->pid;
}

/* Bytes before the first zero byte (little endian); 8: none. */
static __always_inline u32 word_length(u64 w)
{
	u64 zero = (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;

	return zero ? __builtin_ctzll(zero) / 8 : 8;
}

/* A copy, of two words: another thread may rename the task meanwhile. */
static __always_inline struct stp_str comm_of(struct stp_ctx *c, const struct task_struct *t)
{
	u64 *p = stp_tmp(c, 16), a, b;
	u32 len;

	BUILD_BUG_ON(TASK_COMM_LEN < 16);
	if (unlikely(!p))
		return STP_STR("");
	__builtin_memcpy(&a, t->comm, 8);
	__builtin_memcpy(&b, t->comm + 8, 8);
	p[0] = a;
	p[1] = b;
	len = word_length(a);
	if (len == 8)
		len += word_length(b);
	return (struct stp_str){ (char *)p, min_t(u32, len, 15) };
}

struct stp_str stp_fn_execname(struct stp_ctx *c)
{
	return comm_of(c, STP_TASK(c));
}

/* The parent is read without RCU's help where RCU does not watch: a stale task_struct is still mapped memory. */
s64 stp_fn_ppid(struct stp_ctx *c)
{
	s64 ppid;

	if (!stp_rcu_enter())
		return 0;
	ppid = rcu_dereference(STP_TASK(c)->real_parent)->tgid;
	stp_rcu_leave();
	return ppid;
}

struct stp_str stp_fn_pexecname(struct stp_ctx *c)
{
	struct stp_str s;

	if (!stp_rcu_enter())
		return STP_STR("");
	s = comm_of(c, rcu_dereference(STP_TASK(c)->real_parent));
	stp_rcu_leave();
	return s;
}

static s64 id_of_type(struct stp_ctx *c, enum pid_type type)
{
	struct pid *pid;
	s64 nr = 0;

	if (!stp_rcu_enter())
		return 0;
	pid = rcu_dereference(STP_TASK(c)->signal->pids[type]);
	if (pid)
		nr = pid->numbers[0].nr;
	stp_rcu_leave();
	return nr;
}

s64 stp_fn_pgrp(struct stp_ctx *c)
{
	return id_of_type(c, PIDTYPE_PGID);
}

s64 stp_fn_sid(struct stp_ctx *c)
{
	return id_of_type(c, PIDTYPE_SID);
}

s64 stp_fn_uid(struct stp_ctx *c)
{
	return __kuid_val(rcu_dereference_raw(STP_TASK(c)->cred)->uid);
}

s64 stp_fn_euid(struct stp_ctx *c)
{
	return __kuid_val(rcu_dereference_raw(STP_TASK(c)->cred)->euid);
}

s64 stp_fn_gid(struct stp_ctx *c)
{
	return __kgid_val(rcu_dereference_raw(STP_TASK(c)->cred)->gid);
}

s64 stp_fn_egid(struct stp_ctx *c)
{
	return __kgid_val(rcu_dereference_raw(STP_TASK(c)->cred)->egid);
}
