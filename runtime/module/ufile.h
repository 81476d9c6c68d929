/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are mapped in watched processes, and their tables (stp_utab.h), which the loader has made outside and hands in.
 * A file stays known until the module goes; the file itself is held only until the loader has taken it.
 */
#ifndef STP_UFILE_H
#define STP_UFILE_H

#include <linux/fs.h>
#include <linux/types.h>
#include "stp_msg.h"
#include "stp_utab.h"

enum stp_ufile_state { STP_UFILE_NEW, STP_UFILE_WANTED, STP_UFILE_SENT, STP_UFILE_READY, STP_UFILE_NONE /* no table can be had */ };

struct stp_ufile {
	struct hlist_node node;
	u8 source;                /* STP_SOURCE_*: a file, or what stands for one */
	struct pid *pid;          /* STP_SOURCE_PERF_MAP: the process, held */
	unsigned long asked, again; /* jiffies: of the last request; before which there is no other */
	struct stp_ufile *next_wanted;
	/* identity */
	dev_t dev;
	u64 ino, size;            /* STP_SOURCE_PERF_MAP: ino is the address space */
	u32 generation;
	dev_t user_dev;           /* as processes see it, on an overlay */
	u64 user_ino;
	s64 changed;              /* ctime, ns */
	u32 id;
	u8 state;                 /* enum stp_ufile_state */
	bool mapped;
	bool plain;               /* there is never a table of it: umap_name.c */
	struct file *file;        /* until it is sent */
	const struct stp_utab *tab;
	const char *name;         /* of the path, behind the last slash */
	u32 name_len, path_len;
	char path[];              /* as the process that mapped it first sees it */
};

/* Notes which file it is: device, inode and generation, and those that user space is shown.  Any context. */
void stp_ufile_identify(struct stp_ufile *f, struct file *file);

/* Can there be a table of it at all?  Not of devices, nor of what lies in /proc (our own control file, mapped by the loader). */
bool stp_ufile_is_program(const struct file *file);
/* The entry of a file, made when it is new.  Process context; NULL: no memory. */
struct stp_ufile *stp_ufile_get(struct file *file);
/* The entry of a file, if there is one.  Any context; entries stay. */
struct stp_ufile *stp_ufile_find(const struct file *file);
/* It is mapped, in a place where the next sweep will find it: its file is not let go.  False: it has been, and is only had again by stp_ufile_get. */
bool stp_ufile_keep(struct stp_ufile *f);
/*
 * What stands for a file where there is none: the vdso, and for code that a process makes as it runs the list of its symbols
 * (/tmp/perf-PID.map), which its own just-in-time compiler writes.  Made when they are new; process context; NULL: no memory.
 */
struct stp_ufile *stp_ufile_vdso(void);
struct stp_ufile *stp_ufile_jit(struct task_struct *task, const struct mm_struct *mm);
/* An address in such code is asked for: its list may have grown.  Asks for it anew now and then; contexts as below. */
void stp_ufile_grown(struct stp_ufile *f);
/* Asks the loader for the table.  Any context but with the lock of the list held by the same CPU: NMIs do nothing. */
void stp_ufile_want(struct stp_ufile *f);
/* Process context: until f's table is there or can not be had, at most so long. */
void stp_ufile_wait(struct stp_ufile *f, unsigned long jiffies_left);
/* When the module goes. */
void stp_ufile_free_all(void) __weak;
/* Between two calls, what is still mapped is marked (stp_ufile.mapped); the second lets go the files, not their entries, of what is not
 * and was never asked for, so that they keep no file system busy.  Process context. */
void stp_ufile_unmark_all(void);
void stp_ufile_let_go(void);
/* The session is over: no more waiting, no more tables; files are let go. */
void stp_ufile_end(void);
/* How many addresses could not be named or followed because a table was not there yet. */
extern atomic64_t stp_ufile_late;

/* control.c's commands, without its lock */
long stp_ufile_next(struct stp_file_request __user *arg) __weak;
long stp_ufile_table(const struct stp_file_table __user *arg) __weak;

#endif
