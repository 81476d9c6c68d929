/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions about the current task.  Those of fn_about_task.h among them; defines: stp_fn_task_current stp_fn_pid stp_fn_tid stp_fn_execname stp_fn_ppid
 * stp_fn_pexecname stp_fn_pgrp stp_fn_sid stp_fn_uid stp_fn_euid stp_fn_gid stp_fn_egid */
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "fn.h"
#include "session.h"
#include "compat/rcu.h"

#define STP_TASK(c) current
#include "fn_about_task.h"

s64 stp_fn_pid2task(struct stp_ctx *c, s64 pid)
{
	struct task_struct *t = NULL;

	if (!stp_rcu_enter())
		return 0;
	if (pid > 0 && pid == (s32)pid)
		t = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	stp_rcu_leave();
	return (s64)(unsigned long)t;
}

s64 stp_fn_cpu(struct stp_ctx *c)
{
	return raw_smp_processor_id();
}

s64 stp_fn_num_online_cpus(struct stp_ctx *c)
{
	return num_online_cpus();
}

s64 stp_fn_target(struct stp_ctx *c)
{
	return stp_session.target;
}

s64 stp_fn_stp_pid(struct stp_ctx *c)
{
	return stp_session.loader;
}

struct stp_str stp_fn_module_name(struct stp_ctx *c)
{
	return (struct stp_str){ THIS_MODULE->name, strlen(THIS_MODULE->name) };
}

s64 stp_fn_this_module(struct stp_ctx *c)
{
	return (s64)(unsigned long)THIS_MODULE;
}
