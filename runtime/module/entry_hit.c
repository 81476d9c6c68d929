/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs when a traced function is entered.
 *
 * The callback must be safe against its own recursion: nothing traceable is called before the context is
 * claimed.  Registers: the head of struct ftrace_regs is struct pt_regs with the arguments and the
 * stack pointer filled in; all of it with STP_NEED_REGS.
 */
#include "entry_hit.h"

void notrace stp_entry_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs)
{
	const struct stp_probe *p = container_of(ops, struct entry_ops, ops)->p;

	stp_hit(p, (u64 *)regs, NULL, ip);
}
