/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vma tracker: what is mapped where in the processes of interest, so that a handler can ask, in any context, what an
 * address of the current process belongs to, and is told of changes.
 *
 * Each address space (mm) of interest has a table of its mappings (umap_table.h); a change puts a new table in place (RCU).  That
 * something may have changed is noticed by probes of our own in the kernel's mapping functions (umap_probe.c) or at the return of the
 * system calls that change mappings (umap_syscall.c); the task then compares what is there with what was known on its way
 * back to user mode (umap_scan.c).  A file is known by device, inode number, generation and, if it may have a table of symbols, time of
 * change, whatever its path (ufile.h, umap_name.c).
 */
#ifndef STP_UMAP_H
#define STP_UMAP_H

#include <linux/hash.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "stp.h"
#include "task_defer.h"
#include "ufile.h"
#include "umap_table.h"

/*
 * What is mapped at an address of the current process; NULL: nothing that is tracked.  Any context with RCU (interrupts are off in
 * handlers); the result is valid as long as they stay off.
 */
const struct stp_umap *stp_umap_find(u64 addr);
/* user_place.c: the first mapping of the file's code, NULL.  Under RCU, or with the table held. */
struct inode;
const struct stp_umap *stp_umaps_code(const struct stp_umaps *maps, const struct inode *inode);
/* All that is in the current process's table, or NULL; and for who looks up many addresses, the same with what is beside the table. */
const struct stp_umaps *stp_umaps_current(void);
const struct stp_space *stp_space_current(void);
const struct stp_umap *stp_space_find(const struct stp_space *s, u64 addr);
/* The file's own address of an address within m, and the file's table; NULL when there is no table (yet): it is asked for then. */
const struct stp_utab *stp_umap_table(const struct stp_umap *m, u64 addr, u64 *file_addr);

/* ---- address spaces (umap.c) ---- */
/* It holds its mm_struct (mm_count), so that no other can come to be at the same place. */
struct stp_space {
	struct hlist_node node;
	struct stp_space *next_gone;
	struct mm_struct *mm;
	struct stp_umaps __rcu *maps;   /* NULL: not read yet */
	struct stp_recent __rcu *recent; /* beside it; NULL: nothing (umap_recent.h) */
	struct mutex lock;              /* who reads the mappings; outside mmap_lock */
	bool told;                      /* a script's probes know what is mapped (hook_vma.c) */
	bool stale;                     /* a change was not noted: all is to be read again */
	bool scanning;                  /* between a scan's reading and its end: nothing is noted in `recent` */
};

/* Process context or tracepoints; mm has users, so that the result stays.  NULL: not known and not to be made, or no memory. */
struct stp_space *stp_space_get(struct mm_struct *mm, bool create);
bool stp_umap_known(const struct mm_struct *mm);
/* A quick look first: false, it is not known. */
#define STP_SPACES_BITS 10
extern struct hlist_head stp_spaces[1 << STP_SPACES_BITS];
static __always_inline bool stp_umap_maybe(const struct mm_struct *mm)
{
	return READ_ONCE(stp_spaces[hash_ptr(mm, STP_SPACES_BITS)].first);
}
/* Is there anything tracked in a range? */
bool stp_space_overlaps(const struct stp_space *s, u64 start, u64 end);
/* The process's own list of symbols, where all of a range is tracked as code that the process makes as it runs; NULL: it is not. */
struct stp_ufile *stp_umap_jit(const struct mm_struct *mm, u64 start, u64 end);
/* Something changed, and there was no memory to note what. */
void stp_umap_stale(const struct mm_struct *mm);
/* Under the space's lock: puts a table in place, NULL: none. */
void stp_space_set(struct stp_space *s, struct stp_umaps *maps);
/* A child begins with its parent's table, where the parent has one. */
void stp_umap_share(struct mm_struct *parent, struct mm_struct *child);
void stp_umaps_put(struct stp_umaps *m);
/* Drops the address spaces and names of files that nobody uses any more (false: try again); all of them. */
bool stp_umap_sweep(void);
void stp_umap_forget_all(void);

/* ---- reading (umap_scan.c): mm is the task's; process context; takes mmap_lock for reading and may sleep ---- */
enum { STP_SCAN_NEW = 1 /* mm need not be known */, STP_SCAN_WAIT = 2 /* for the tables of files that came */ };
/* Compares the mappings in these ranges with what was known; all of them when it was not.  0 or -errno. */
int stp_umap_scan(struct task_struct *task, struct mm_struct *mm, const struct stp_ranges *ranges, u32 how);
/* ... every process of interest that is there already. */
int stp_umap_scan_all(void);
extern const struct stp_ranges stp_umap_everything;
/* Do processes wait for the tables of files that they map? */
bool stp_umap_waits(void);
/* How many times mappings could not be kept for want of memory. */
extern atomic64_t stp_umap_lost;

/* ---- names of mappings that have no tables (umap_name.c); process context ---- */
/* The entry of a file whose code is not mapped; of a name that the kernel gives.  NULL: no memory.  They stay until a sweep finds them unused:
 * between getting one and stp_space_set, stp_umap_names_lock is held for reading. */
struct stp_ufile *stp_umap_file_name(struct file *file);
struct stp_ufile *stp_umap_text_name(const char *name);
extern struct rw_semaphore stp_umap_names_lock;
/* With the lock held for writing, and marks (stp_ufile.mapped) right: drops what is not used, behind RCU; all. */
void stp_umap_names_unmark(void);
void stp_umap_names_drop(void);
/* Are there so many more than at the last sweep that another one is due? */
bool stp_umap_names_many(void);

/* Defined by units that need objects' names, frames' rows, source lines: what is linked in decides what tables hold; and (umap_all.c) all
 * mappings, not only those that names and stacks need. */
extern const u8 stp_umap_wants_data __weak;
extern const u8 stp_umap_wants_rows __weak;
extern const u8 stp_umap_wants_lines __weak;
extern const u8 stp_umap_wants_all __weak;
extern const u8 stp_umap_wants_now __weak; /* user_place.c: new code goes into the table at once */

#endif
