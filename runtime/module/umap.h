/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vma tracker: what files are mapped where in the processes of interest, so that a handler can ask, in any context, what an
 * address of the current process belongs to.
 *
 * Each address space (mm) of interest has a table of its mappings of files, sorted by address, that never changes: a
 * change makes a new table and puts it in place (RCU).  A change is noticed by probes of our own in the kernel's mapping
 * functions or at the return of the system calls that change mappings (umap_hint.c); the task then compares what is there on its way
 * back to user mode (umap_scan.c).  A file is known by device, inode number, generation and time of change, whatever
 * its path (ufile.h).
 */
#ifndef STP_UMAP_H
#define STP_UMAP_H

#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include "stp.h"
#include "ufile.h"

enum {
	STP_UMAP_EXEC = 1, STP_UMAP_WRITE = 2,
	STP_UMAP_BSS = 4,         /* anonymous memory behind a file's data: the rest of its segment */
};
struct stp_umap {
	u64 start, end;
	u64 off;                  /* in the file, of `start` */
	u32 flags;
	struct stp_ufile *file;
};
struct stp_umaps {
	struct rcu_head rcu;
	atomic_t users;           /* address spaces: fork shares */
	u64 seq;                  /* of the scan; a later one wins */
	u32 n;
	struct stp_umap m[];
};

/*
 * What is mapped at an address of the current process; NULL: nothing that is tracked.  Any context with RCU (interrupts are off in
 * handlers); the result is valid as long as they stay off.
 */
const struct stp_umap *stp_umap_find(u64 addr);
/* All of the current process's, or NULL; and the one in them that an address is in. */
const struct stp_umaps *stp_umaps_current(void);
const struct stp_umap *stp_umaps_find(const struct stp_umaps *maps, u64 addr);
/* The file's own address of an address within m, and the file's table; NULL when there is no table (yet): it is asked for then. */
const struct stp_utab *stp_umap_table(const struct stp_umap *m, u64 addr, u64 *file_addr);

/* umap_scan.c: mm is the task's; process context; takes mmap_lock for reading and may sleep.  0 or -errno. */
int stp_umap_scan(struct task_struct *task, struct mm_struct *mm, bool is_new, bool eager);
/* ... every process of interest that is there already. */
int stp_umap_scan_all(void);

/* umap.c: process context or tracepoints */
bool stp_umap_known(const struct mm_struct *mm);
/* Puts a table in place (takes it over); is_new: mm need not be known.  False: there is a later one, or no memory. */
bool stp_umap_publish(struct mm_struct *mm, struct stp_umaps *maps, bool is_new);
/* A child begins with its parent's table, where the parent has one. */
void stp_umap_share(struct mm_struct *parent, struct mm_struct *child);
void stp_umaps_put(struct stp_umaps *m);
/* Drops the address spaces that nobody uses any more; all of them. */
void stp_umap_sweep(void);
void stp_umap_forget_all(void);
/* The process's own list of symbols, where all of a range is tracked as code that the process makes as it runs; NULL: it is not. */
struct stp_ufile *stp_umap_jit(const struct mm_struct *mm, u64 start, u64 end);
/* Is there anything tracked in a range? */
bool stp_umap_overlaps(const struct mm_struct *mm, u64 start, u64 end);
u64 stp_umap_seq(void);

/* Defined by units that need objects' names, frames' rows, source lines: what is linked in decides what tables hold. */
extern const u8 stp_umap_wants_data __weak;
extern const u8 stp_umap_wants_rows __weak;
extern const u8 stp_umap_wants_lines __weak;

#endif
