/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of an address space's mappings, sorted by address.  A table never changes: a change makes a new one, which shares with the
 * old one all pieces that are the same, so that a change among a hundred thousand mappings copies a few kilobytes.
 * Compiles for user space as well.
 */
#ifndef STP_UMAP_TABLE_H
#define STP_UMAP_TABLE_H

#include "port.h"
#ifdef __KERNEL__
#include <linux/rcupdate.h>
#else
struct rcu_head {
	void *words[2];
};
#endif

struct stp_ufile;

enum { /* stp_umap.flags; the first ones as the kernel's VM_* */
	STP_UMAP_READ = 1, STP_UMAP_WRITE = 2, STP_UMAP_EXEC = 4, STP_UMAP_SHARED = 0x80,
	STP_UMAP_PERMS = STP_UMAP_READ | STP_UMAP_WRITE | STP_UMAP_EXEC,
	STP_UMAP_NOFILE = 0x100,  /* anonymous, or the kernel's own ([vdso]) */
	STP_UMAP_BSS = 0x200,     /* ... behind a program's data: the rest of its segment; `file` and `off` go on */
	STP_UMAP_HEAP = 0x400,    /* ... and, as far as /proc says, the heap */
	STP_UMAP_STACK = 0x800,
	STP_UMAP_SPECIAL = 0x1000, /* the kernel's own */
	STP_UMAP_JIT = 0x2000,    /* code that the process makes as it runs, also while it may not be run: it writes to it */
};

struct stp_umap {
	u64 start, end;
	u64 off;                  /* in the file, of `start` */
	u32 flags;
	struct stp_ufile *file;   /* never NULL; of mappings without a file, one that only has a name */
};

struct stp_uchunk {
	u32 users, n;             /* tables that it is part of; mappings in it, at least one */
	struct stp_umap m[];
};
struct stp_umaps {
	struct rcu_head rcu;
	u32 users;                /* address spaces (fork shares), and who works with it */
	u32 n, nchunks;           /* mappings, chunks */
	struct {
		u64 end;          /* of the last mapping in it */
		struct stp_uchunk *chunk;
	} at[];
};

/* ---- looking up: any context in which the table stays ---- */
/* The mapping that an address is in, NULL; the first one that ends behind it, NULL. */
const struct stp_umap *stp_umaps_find(const struct stp_umaps *maps, u64 addr);
const struct stp_umap *stp_umaps_behind(const struct stp_umaps *maps, u64 addr);

/* All from the first one that ends behind an address:  for (m = stp_umaps_seek(&it, maps, 0); m; m = stp_umaps_next(&it)) */
struct stp_umaps_iter {
	const struct stp_umaps *maps;
	u32 chunk, i;
};
const struct stp_umap *stp_umaps_seek(struct stp_umaps_iter *it, const struct stp_umaps *maps, u64 addr);
const struct stp_umap *stp_umaps_next(struct stp_umaps_iter *it);

/* ---- making: process context ---- */
/*
 * A table (users: 1) in which the n mappings in `with` take the place of all that old (NULL: an empty one) has any of in lo..hi.  NULL: no
 * memory, or all tables together would take more than STP_UMAPS_MAX bytes.
 */
#define STP_UMAPS_MAX (128ull << 20)
struct stp_umaps *stp_umaps_replace(const struct stp_umaps *old, u64 lo, u64 hi, const struct stp_umap *with, u32 n);
/* Nobody uses it and nobody reads it any more. */
void stp_umaps_free(struct stp_umaps *m);

/* ---- comparing ---- */
/*
 * Calls fn for each stretch of lo..hi in which two tables differ: `was` NULL: mapped; `is` NULL: unmapped; stp_umap_same(): other
 * permissions of the same; else something else instead.  In order of addresses.
 */
void stp_umaps_diff(const struct stp_umaps *old, const struct stp_umaps *new, u64 lo, u64 hi,
		    void (*fn)(void *data, u64 start, u64 end, const struct stp_umap *was, const struct stp_umap *is), void *data);
/* Do they map the same, b's address being so much larger? */
bool stp_umap_same(const struct stp_umap *a, const struct stp_umap *b, u64 moved);
/* Are they entries of one file?  Defined by who has files. */
bool stp_ufile_same(const struct stp_ufile *a, const struct stp_ufile *b);

#endif
