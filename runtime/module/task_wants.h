/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which probes want events of tasks (hook_task.c) and of their mappings (hook_vma.c): a list for each kind of event. */
#ifndef STP_TASK_WANTS_H
#define STP_TASK_WANTS_H

#include "user_file.h"

struct stp_want {
	struct stp_want *next;
	const struct stp_probe *p;
	const struct stp_user_file *program; /* NULL: any */
	s32 number;                     /* of that file, as stp_user_file_find() has it; -1 */
	s32 pid;                        /* 0: any */
	bool tree;                      /* of target() alone */
};

/* Of all probes of that kind, in the script's order, to lists[their arg]; process context.  0 or -ENOMEM. */
int stp_wants_collect(struct stp_want **lists, u32 n, u8 kind);
/* Nobody reads them any more. */
void stp_wants_free(struct stp_want **lists, u32 n);

#endif
