/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STP_FN_SYSCALL_H
#define STP_FN_SYSCALL_H

/* syscall_name(): "" for a number without a system call.  Any context. */
struct stp_str stp_fn_syscall_name(struct stp_ctx *c, s64 nr);

#endif
