/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose namespaces the ns_ functions speak of: those of the process of --target-namespaces, or of the loader.  They are held from the
 * start, so that they stay what they were when that process ends.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "fn.h"
#include "extras.h"
#include "fn_more.h"
#include "session.h"

STP_NEEDS_EXTRAS;

static struct pid *held;
static const struct cred *cred;

int stp_ns_hold(s32 nr)
{
	struct task_struct *task;

	put_pid(held); /* of a try that failed */
	rcu_read_lock();
	held = get_pid(find_pid_ns(nr ?: stp_session.loader, &init_pid_ns));
	task = pid_task(held, PIDTYPE_PID);
	if (task)
		cred = get_task_cred(task);
	rcu_read_unlock();
	return cred ? 0 : -ESRCH;
}

void stp_ns_free(void)
{
	put_pid(held);
	if (cred)
		put_cred(cred);
}

s64 stp_fn_ns_of_pid(struct stp_ctx *c)
{
	return (s64)(unsigned long)held;
}

s64 stp_fn_ns_of_user(struct stp_ctx *c)
{
	return (s64)(unsigned long)cred->user_ns;
}
