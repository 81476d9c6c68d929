/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * STP_TASK: begin and end of processes and threads, and their system calls.
 *
 * A process begins when it is forked, and ends when its last thread exits; exec ends one and begins another.
 * What runs already when the session starts is told of by a worker, or by the task itself, whichever comes first:
 * the notes of its pid say that it was told (task_watch.h).  Notes change and begin handlers run under one of a few
 * locks chosen by the pid, so that each is told of once, and its begin before all else.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <asm/unistd.h>
#include "port.h"
#include "task_hit.h"
#include "task_wants.h"
#include "task_watch.h"
#include "user_file.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define LOCK_BITS 6
#define EVENTS (STP_TASK_SYSCALL_RETURN + 1)

static struct stp_want *wants[EVENTS]; /* who wants an event */
static raw_spinlock_t locks[1 << LOCK_BITS];
static bool on;                         /* handlers run: tell */
static const struct inode *loader_program;

static raw_spinlock_t *lock_of(s32 pid)
{
	return &locks[hash_32(pid, LOCK_BITS)];
}

static void tell(u32 event, u32 note, struct task_struct *subject, struct pt_regs *regs)
{
	const struct stp_want *w;

	for (w = wants[event]; w; w = w->next) {
		if (w->program && w->number + 1 != (s32)(note / STP_NOTE_PROGRAM))
			continue;
		if ((w->pid && w->pid != subject->tgid) || (w->tree && !(note & STP_NOTE_TREE)))
			continue;
		stp_task_hit(w->p, subject, regs, NULL);
	}
}

/* The program of an address space, as a note; STP_NOTE_IGNORED for the loader's. */
static u32 program_note(struct mm_struct *mm)
{
	const struct inode *inode = stp_mm_program(mm);

	if (inode && inode == loader_program)
		return STP_NOTE_IGNORED;
	return (stp_user_file_find(inode) + 1) * STP_NOTE_PROGRAM;
}

/*
 * Under the lock: the process of this task has begun, if nobody told so before.  mm NULL: it is too late to know what
 * it runs, and nothing is told.
 */
static void process_begun(struct task_struct *t, struct mm_struct *mm, u32 *note)
{
	u32 n = *note;

	if (n & (STP_NOTE_PROCESS | STP_NOTE_DEAD | STP_NOTE_IGNORED) || !mm)
		return;
	n = (n & STP_NOTE_TREE) | program_note(mm);
	if (!(n & STP_NOTE_IGNORED)) {
		tell(STP_TASK_BEGIN, n, t, task_pt_regs(t));
		n |= STP_NOTE_PROCESS;
	}
	WRITE_ONCE(*note, n);
}

/* The notes of the current process, told of; NULL: nothing is to be told. */
static u32 *known_process(void)
{
	u32 *note = stp_task_note(current->tgid, true);
	unsigned long flags;

	if (!note)
		return NULL;
	if (unlikely(!(READ_ONCE(*note) & (STP_NOTE_PROCESS | STP_NOTE_IGNORED)))) {
		raw_spin_lock_irqsave(lock_of(current->tgid), flags);
		process_begun(current, current->mm, note);
		raw_spin_unlock_irqrestore(lock_of(current->tgid), flags);
	}
	return READ_ONCE(*note) & STP_NOTE_PROCESS ? note : NULL;
}

void stp_task_begin_told(void)
{
	if (READ_ONCE(on))
		known_process();
}

/* Under the lock: likewise a thread, of a process with that note. */
static void thread_begun(struct task_struct *t, u32 *note, u32 process)
{
	if (*note & (STP_NOTE_THREAD | STP_NOTE_DEAD))
		return;
	tell(STP_TASK_THREAD_BEGIN, process, t, task_pt_regs(t));
	/* with what its end needs to know: the process may be told dead before */
	WRITE_ONCE(*note, STP_NOTE_THREAD | (process & ~(u32)STP_NOTE_PROCESS));
}

/* ---- events ---- */
void stp_task_forked(struct task_struct *child, u32 *note)
{
	u32 *up, n;
	unsigned long flags;

	if (!READ_ONCE(on) || current->flags & PF_KTHREAD)
		return;
	up = known_process();
	if (!up)
		return;
	n = READ_ONCE(*up);
	raw_spin_lock_irqsave(lock_of(child->pid), flags);
	if (child->pid != child->tgid) {
		thread_begun(child, note, n);
	} else if (!(*note & STP_NOTE_PROCESS)) {
		tell(STP_TASK_BEGIN, n, child, task_pt_regs(child));
		WRITE_ONCE(*note, n);
	}
	raw_spin_unlock_irqrestore(lock_of(child->pid), flags);
}

void stp_task_execed(pid_t old_pid)
{
	u32 *note = stp_task_note(current->tgid, true), *old = stp_task_note(old_pid, false), n;
	unsigned long flags;

	if (!READ_ONCE(on) || !note)
		return;
	if (old && old_pid != current->pid) /* a thread that took its leader's pid */
		WRITE_ONCE(*old, 0);
	raw_spin_lock_irqsave(lock_of(current->tgid), flags);
	n = *note;
	if (n & STP_NOTE_PROCESS)
		tell(STP_TASK_END, n, current, current_pt_regs());
	WRITE_ONCE(*note, n & STP_NOTE_TREE);
	process_begun(current, current->mm, note);
	raw_spin_unlock_irqrestore(lock_of(current->tgid), flags);
}

static void thread_exits(void)
{
	u32 *note = stp_task_note(current->pid, true), *process = stp_task_note(current->tgid, false);
	unsigned long flags;

	if (!note || !process)
		return;
	raw_spin_lock_irqsave(lock_of(current->pid), flags);
	if (READ_ONCE(*process) & STP_NOTE_PROCESS)
		thread_begun(current, note, *process);
	if ((*note & (STP_NOTE_THREAD | STP_NOTE_DEAD)) == STP_NOTE_THREAD)
		tell(STP_TASK_THREAD_END, *note, current, current_pt_regs());
	WRITE_ONCE(*note, STP_NOTE_DEAD | (*note & STP_NOTE_TREE));
	raw_spin_unlock_irqrestore(lock_of(current->pid), flags);
}

void stp_task_exiting(void)
{
	u32 *note;
	unsigned long flags;

	if (!READ_ONCE(on) || current->flags & PF_KTHREAD)
		return;
	if (current->pid != current->tgid)
		thread_exits();
	if (atomic_read(&current->signal->live))
		return;
	/* the last thread; two that exit at once may both come here */
	note = stp_task_note(current->tgid, true);
	if (!note)
		return;
	raw_spin_lock_irqsave(lock_of(current->tgid), flags);
	process_begun(current, current->mm, note);
	if (*note & STP_NOTE_PROCESS)
		tell(STP_TASK_END, *note, current, current_pt_regs());
	WRITE_ONCE(*note, STP_NOTE_DEAD | (*note & STP_NOTE_TREE));
	raw_spin_unlock_irqrestore(lock_of(current->tgid), flags);
}

/*
 * Calls that the program does not make itself: code that the kernel has put into it for uprobes does, on its way through a return probe
 * (uretprobe, 6.11) or to a handler (uprobe, 6.18).  Both leave no number behind (-1, as rt_sigreturn does): at their end the program is behind
 * the instruction `syscall`, which has the number's `mov` in front.
 */
static bool is_probes_call(long id)
{
#ifdef __NR_uretprobe
	if (id == __NR_uretprobe)
		return true;
#endif
#ifdef __NR_uprobe
	if (id == __NR_uprobe)
		return true;
#endif
	return false;
}

static bool ends_probes_call(const struct pt_regs *regs)
{
	struct {
		s32 number;
		u8 syscall[2];
	} __packed code;

	if (likely((long)regs->orig_ax != -1) || copy_from_user_nofault(&code, (const void __user *)(regs->ip - sizeof(code)), sizeof(code)))
		return false;
	return code.syscall[0] == 0x0f && code.syscall[1] == 0x05 && is_probes_call(code.number);
}

static void on_syscall(void *data, struct pt_regs *regs, long id)
{
	u32 *note = READ_ONCE(on) && likely(!is_probes_call(id)) ? known_process() : NULL;

	if (note)
		tell(STP_TASK_SYSCALL, READ_ONCE(*note), current, regs);
}

static void on_syscall_return(void *data, struct pt_regs *regs, long ret)
{
	u32 *note = READ_ONCE(on) && !ends_probes_call(regs) ? known_process() : NULL;

	if (note)
		tell(STP_TASK_SYSCALL_RETURN, READ_ONCE(*note), current, regs);
}

static struct {
	const char *name;
	void *fn;
	u32 event;
	struct tracepoint *tp;
} syscalls[] = {
	{ "sys_enter", on_syscall, STP_TASK_SYSCALL },
	{ "sys_exit", on_syscall_return, STP_TASK_SYSCALL_RETURN },
};

/* ---- what runs already ---- */
struct survey {
	struct work_struct work;
	struct task_struct **tasks;
	u32 n, room;
};

/* Everything with its own memory, leaders first; holds a reference to each. */
static void survey_collect(struct survey *sv)
{
	struct task_struct *p, *t;

	rcu_read_lock();
	for_each_process(p)
		for_each_thread(p, t)
			if (sv->n < sv->room && !(t->flags & PF_KTHREAD)) {
				get_task_struct(t);
				sv->tasks[sv->n++] = t;
			}
	rcu_read_unlock();
}

static u32 count_tasks(void)
{
	struct task_struct *p, *t;
	u32 n = 0;

	rcu_read_lock();
	for_each_process(p)
		for_each_thread(p, t)
			n++;
	rcu_read_unlock();
	return n;
}

static void survey_one(struct task_struct *t)
{
	u32 *process = stp_task_note(t->tgid, true), *note = stp_task_note(t->pid, true);
	struct mm_struct *mm = get_task_mm(t);
	unsigned long flags;

	if (!mm)
		return;
	kthread_use_mm(mm); /* what a handler reads of the user's memory is this task's */
	if (process && !(READ_ONCE(*process) & STP_NOTE_PROCESS)) {
		raw_spin_lock_irqsave(lock_of(t->tgid), flags);
		process_begun(t, mm, process);
		raw_spin_unlock_irqrestore(lock_of(t->tgid), flags);
	}
	if (process && note && t->pid != t->tgid && READ_ONCE(*process) & STP_NOTE_PROCESS) {
		raw_spin_lock_irqsave(lock_of(t->pid), flags);
		thread_begun(t, note, *process);
		raw_spin_unlock_irqrestore(lock_of(t->pid), flags);
	}
	kthread_unuse_mm(mm);
	mmput(mm);
}

/* In a kernel thread, which can take the memory of one process after another for its own. */
static void survey_fn(struct work_struct *work)
{
	struct survey *sv = container_of(work, struct survey, work);
	u32 i;

	survey_collect(sv);
	for (i = 0; i < sv->n; i++) {
		if (!READ_ONCE(stp_session.ending))
			survey_one(sv->tasks[i]);
		put_task_struct(sv->tasks[i]);
		stp_resched();
	}
}

static void tasks_started(void)
{
	struct survey sv = { .room = count_tasks() + 1024 };

	WRITE_ONCE(on, true);
	sv.tasks = kvmalloc_array(sv.room, sizeof(*sv.tasks), GFP_KERNEL);
	if (!sv.tasks) {
		stp_warn("no memory to tell of the processes that run already");
		return;
	}
	INIT_WORK_ONSTACK(&sv.work, survey_fn);
	schedule_work(&sv.work);
	flush_work(&sv.work);
	destroy_work_on_stack(&sv.work);
	kvfree(sv.tasks);
}

/* ---- the hook ---- */
static int syscalls_attach(void)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < ARRAY_SIZE(syscalls) && !rc; i++) {
		struct tracepoint *tp = wants[syscalls[i].event] ? stp_tracepoint_find(syscalls[i].name) : NULL;

		if (!wants[syscalls[i].event])
			continue;
		rc = tp ? tracepoint_probe_register(tp, syscalls[i].fn, NULL) : -ENOENT;
		if (!rc)
			syscalls[i].tp = tp;
		else
			stp_warn("system calls can not be followed: this kernel's tracepoint %s can not be had", syscalls[i].name);
	}
	return rc;
}

static int tasks_attach(void)
{
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(locks); i++)
		raw_spin_lock_init(&locks[i]);
	loader_program = stp_mm_program(current->mm);
	rc = stp_wants_collect(wants, EVENTS, STP_TASK);
	return rc ?: syscalls_attach();
}

/* The watch's own tracepoints stay until later, and find nobody who wants anything. */
static void tasks_detach(void)
{
	size_t i;

	WRITE_ONCE(on, false);
	for (i = 0; i < ARRAY_SIZE(syscalls); i++)
		if (syscalls[i].tp)
			tracepoint_probe_unregister(syscalls[i].tp, syscalls[i].fn, NULL);
	stp_tracepoints_drain();
	stp_wants_free(wants, EVENTS);
}

const struct stp_hook stp_hook_task = { .attach = tasks_attach, .detach = tasks_detach, .started = tasks_started };
