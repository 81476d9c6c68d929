/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct probe.arg of ATTACH_TASK: enum stp_task_event of runtime/abi/stp.h; and of ATTACH_VMA. */
#ifndef STAP_TASK_EVENTS_H
#define STAP_TASK_EVENTS_H

enum { TASK_BEGIN, TASK_END, TASK_THREAD_BEGIN, TASK_THREAD_END, TASK_SYSCALL, TASK_SYSCALL_RETURN };
/* ... of ATTACH_VMA: enum stp_vma_event. */
enum { VMA_MAP, VMA_UNMAP, VMA_PROTECT, VMA_MOVE };
/* Words of c->args there. */
enum { VMA_START, VMA_END, VMA_OFFSET, VMA_FLAGS, VMA_OLD };

#endif
