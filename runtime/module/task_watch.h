/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watching tasks come and go: a word of notes for each pid, kept by the kernel's tracepoints for fork, exec and
 * exit; the processes that descend from target(); and calls of the task probes' hook, where that is linked in.
 */
#ifndef STP_TASK_WATCH_H
#define STP_TASK_WATCH_H

#include <linux/sched.h>
#include <linux/threads.h>
#include "hook.h"

enum { /* notes of a pid */
	STP_NOTE_PROCESS = 1,   /* of a process: its begin was told */
	STP_NOTE_THREAD = 2,    /* of a thread that leads no process: its begin was told */
	STP_NOTE_TREE = 4,      /* of a process: it is target() or descends from it */
	STP_NOTE_DEAD = 8,      /* its end was told */
	STP_NOTE_IGNORED = 16,  /* it runs the loader's program: nothing is told */
	STP_NOTE_PROGRAM = 256, /* of a process: times 1 + the number of the file that it runs, 0: none of those */
};

/*
 * The notes of a pid (of init's namespace), NULL when there are none yet and either `create` is false or there is no
 * memory.  Any context but NMI; with `create` none that holds allocator locks.
 */
u32 *stp_task_note(s32 pid, bool create);
/* The notes, by pid in pages of words, those of nobody NULL; NULL before all hooks and behind. */
#define STP_NOTES_PAGE (PAGE_SIZE / sizeof(u32))
#define STP_NOTES_PAGES DIV_ROUND_UP(PID_MAX_LIMIT, STP_NOTES_PAGE)
extern u32 **stp_task_notes;
/* Every hit in a program asks. */
static __always_inline bool stp_in_tree(s32 tgid)
{
	u32 n = (u32)tgid / STP_NOTES_PAGE, **pages = READ_ONCE(stp_task_notes), *page = pages && n < STP_NOTES_PAGES ? READ_ONCE(pages[n]) : NULL;

	return page && READ_ONCE(page[(u32)tgid % STP_NOTES_PAGE]) & STP_NOTE_TREE;
}

/* Process context, under stp_session_lock: before and after all hooks.  0 or -errno. */
int stp_task_watch_start(void);
void stp_task_watch_stop(void);

/* hook_task.c: in the context of the task that forks (child is not running yet), execs, exits. */
void stp_task_forked(struct task_struct *child, u32 *note) __weak;
void stp_task_execed(pid_t old_pid) __weak;
void stp_task_exiting(void) __weak;
/* ... and before other events of the current process are told: its begin is told first. */
void stp_task_begin_told(void) __weak;

/* The kernel's own tracepoint of that name, NULL. */
struct tracepoint *stp_tracepoint_find(const char *name);
/* tracepoint_synchronize_unregister(), which is inline; may sleep. */
void stp_tracepoints_drain(void);
#endif
