/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom a probe in a program is for. */
#ifndef STP_USER_SCOPE_H
#define STP_USER_SCOPE_H

#include "task_watch.h"
#include "user_file.h"

/* All of it must hold. */
struct stp_user_scope {
	s32 pid;                        /* this process; 0: any */
	bool tree;                      /* target() and its descendants */
	const struct inode *program;    /* processes that run this; NULL: any */
};

/* What the loader's group says; process context. */
struct stp_user_scope stp_scope_of(const struct stp_user_group *g);
/* Any context but NMI; the program is not compared. */
bool stp_scope_has_task(const struct stp_user_scope *sc, struct task_struct *t);
static __always_inline bool stp_scope_has_current(const struct stp_user_scope *sc)
{
	return (!sc->pid || current->tgid == sc->pid) && (!sc->tree || stp_in_tree(current->tgid)) &&
	       (!sc->program || stp_mm_program(current->mm) == sc->program);
}

#endif
