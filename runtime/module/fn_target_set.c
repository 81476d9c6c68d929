/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target_set_pid(): who descends from target(); linking it in has the tree watched. */
#include "fn_more.h"
#include "task_watch.h"

s64 stp_fn_target_set_pid(struct stp_ctx *c, s64 pid)
{
	return pid > 0 && pid == (s32)pid && stp_in_tree(pid);
}
