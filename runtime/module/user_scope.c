/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom a probe in a program is for (user_scope.h). */
#include <linux/sched.h>
#include "task_watch.h"
#include "user_scope.h"

struct stp_user_scope stp_scope_of(const struct stp_user_group *g)
{
	return (struct stp_user_scope){ .pid = g->pid, .tree = stp_session.target && !g->pid,
		.program = g->program ? g->program->inode : NULL };
}

bool stp_scope_has_task(const struct stp_user_scope *sc, struct task_struct *t)
{
	if (sc->pid && t->tgid != sc->pid)
		return false;
	return !sc->tree || stp_in_tree(t->tgid);
}
