/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of one user program or library: its segments, its symbols and how to unwind its frames.
 *
 * Made by stap-tables from the file (runtime/tables/), handed by the loader to the module, which checks it
 * (stp_utab_check) and then reads it in probes (runtime/module/utab*.c).  It is one block of memory without
 * pointers, in the byte order of the machine; every offset is from its start.  Nothing in it is trusted: the check makes
 * sure of all offsets and counts, and the readers stop at the end of what they read from.
 *
 * Addresses are the file's own (those of its program headers) less `base`, the lowest of a loaded segment, and
 * fit 32 bits.
 *
 * A list (functions, data symbols, rows of unwinding, source lines) is cut into blocks of `step` entries.  An index has for each
 * block the address of its first entry and where the block's bytes begin, so that a search is a binary search in the
 * index and a walk through one block.
 *
 * A symbol in a block's bytes: varint(size << 5 | codes << 1 | aligned); when not aligned, varint(gap); when `codes` is 0, the number of
 * codes of its name, one byte; the codes.  The next symbol of the block begins at the end of this one rounded up to 16 bytes (aligned), or
 * at its end plus gap, where the gap's lowest bit is its sign.
 * A row: varint(bytes that it is good for), varint(number of its rule).
 * A line: varint(bytes that it is good for), varint(number of its file), varint(line); line 0: no line is known there.
 * A varint is DWARF's ULEB128.
 *
 * The codes of names are bytes; pair[code] says what one stands for: itself when pair[code][0] is the code, else the two
 * codes there, each of which stands for something shorter (byte pair encoding).
 */
#ifndef STP_UTAB_H
#define STP_UTAB_H

#include <linux/types.h>

#define STP_UTAB_MAGIC 0x62617475 /* "utab" */
#define STP_UTAB_VERSION 4
/* What stap-tables takes for `step`: small blocks are quick to walk through, large ones take less index. */
#define STP_UTAB_STEP 32
#define STP_UTAB_ROW_STEP 8
#define STP_UTAB_STEP_MAX 64
#define STP_UTAB_NAME 1023        /* bytes of a decoded name at most */
#define STP_UTAB_DEPTH 24         /* nesting of pairs at most */
#define STP_UTAB_BUILD_ID 32
#define STP_UTAB_BYTES (256u << 20) /* of a table at most: makers, carriers and readers all refuse larger ones */

struct stp_utab_seg {             /* PT_LOAD */
	__u64 offset, filesz;     /* in the file */
	__u32 addr, memsz;
	__u32 flags;              /* PF_X ... */
	__u32 pad;
};

struct stp_utab_block {
	__u32 addr;               /* of its first entry */
	__u32 pos;                /* of its bytes, from the list's `bytes` */
};

struct stp_utab_list {
	__u32 count;              /* entries; 0: there is no list */
	__u32 index;              /* offset of struct stp_utab_block[] */
	__u32 nblocks, step;
	__u32 bytes, nbytes;
	__u32 pairs;              /* symbols: offset of u8 pair[256][2] */
};

/* How to go from a frame to its caller.  Register numbers are DWARF's (System V ABI, AMD64 supplement, fig. 3.36). */
enum stp_cfa {
	STP_CFA_NONE,             /* no frame is described here */
	STP_CFA_END,              /* the outermost frame (return address undefined) */
	STP_CFA_REG,              /* register + offset */
	STP_CFA_DEREF,            /* what lies at register + offset */
	STP_CFA_PLT,              /* rsp + 8, and 8 more where (pc & 15) >= offset: a slot of .plt */
};
enum stp_save {               /* where the caller's value is */
	STP_SAVE_SAME,            /* still in the register */
	STP_SAVE_CFA,             /* at CFA + offset */
	STP_SAVE_REG,             /* at the CFA's register + offset (signal frames) */
	STP_SAVE_UNDEF,           /* lost */
};
struct stp_utab_rule {
	__u8 cfa;                 /* enum stp_cfa */
	__u8 reg;
	__u8 ra, bp;              /* enum stp_save: return address, rbp */
	__u8 signal;              /* a signal frame: the caller's address is not behind a call */
	__u8 pad[3];
	__s32 cfa_off, ra_off, bp_off;
};

struct stp_utab {
	__u32 magic, version;
	__u32 size;               /* bytes in all */
	__u32 id_len;
	__u8 id[STP_UTAB_BUILD_ID]; /* build id */
	__u64 base;
	__u32 seg, nseg;          /* struct stp_utab_seg[] */
	__u32 rule, nrule;        /* struct stp_utab_rule[] */
	struct stp_utab_list func, data, row, line;
	__u32 file, nfile;        /* u32[]: offsets of the names of source files, which end in a zero byte */
};

#endif
