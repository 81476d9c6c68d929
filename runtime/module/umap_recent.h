/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that was mapped lately, beside an address space's table: noted where the kernel maps it, without the mappings being read anew, and
 * struck out when it is unmapped as it was mapped.  So a program that maps code and unmaps it, which nobody asks about, pays little; all that
 * is less simple goes into the table, by a scan.
 *
 * Writers are the kernel's mapping functions (umap_probe.c): they hold mmap_lock for writing.  A scan, which holds it for reading, puts what
 * it read into the table and strikes it out here; from its reading to its end nothing is noted (stp_space.scanning), so that the two always
 * tell of different addresses.
 */
#ifndef STP_UMAP_RECENT_H
#define STP_UMAP_RECENT_H

#include "umap.h"

#define STP_RECENT 8

/* An entry never changes but for `live`: a reader may hold on to one. */
struct stp_recent {
	struct rcu_head rcu;
	u32 n;
	struct stp_recent_entry {
		struct stp_umap m;
		bool live;
	} at[STP_RECENT];
};

/* mmap_lock held for writing, in a task with that memory, its space known.  True: noted, no scan is needed for it. */
bool stp_recent_map(struct stp_space *s, const struct vm_area_struct *vma);
/* ... is to go, as a whole and nothing else. */
bool stp_recent_unmap(struct stp_space *s, const struct vm_area_struct *vma, u64 start, u64 end);

/* The entry that an address is in, or one that overlaps a range; NULL.  Any context with RCU. */
const struct stp_umap *stp_recent_find(const struct stp_space *s, u64 addr);
const struct stp_umap *stp_recent_overlaps(const struct stp_space *s, u64 start, u64 end);

/* Under the space's lock: makes a range as large as the live entries that it cuts. */
void stp_recent_widen(const struct stp_space *s, u64 *lo, u64 *hi);
/* Under the space's lock, by a scan: what these ranges have is in the table now.  One that has been full and is empty goes. */
void stp_recent_strike(struct stp_space *s, const struct stp_ranges *ranges);
/* Every live entry in ranges as well: there is no room for more. */
void stp_recent_add_all(const struct stp_space *s);
/* Marks the files of live entries (ufile.h). */
void stp_recent_mark(const struct stp_space *s);
/* A child's copy; NULL: nothing is in it, or no memory (*failed). */
struct stp_recent *stp_recent_copy(const struct stp_space *s, bool *failed);

#endif
