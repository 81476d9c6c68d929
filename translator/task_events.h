/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct probe.arg of ATTACH_TASK: enum stp_task_event of runtime/abi/stp.h. */
#ifndef STAP_TASK_EVENTS_H
#define STAP_TASK_EVENTS_H

enum { TASK_BEGIN, TASK_END, TASK_THREAD_BEGIN, TASK_THREAD_END, TASK_SYSCALL, TASK_SYSCALL_RETURN };

#endif
