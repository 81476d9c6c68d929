/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stap-tables: makes the table of a user program or library (stp_utab.h) from its file.
 *
 * It runs as a helper of the loader, without privileges, since it reads files that anybody may have made: what it
 * says is checked again by the module.  libelf and libdwfl read the ELF side; the unwind rows are made here from .eh_frame or
 * .debug_frame.
 */
#ifndef STAP_TABLES_H
#define STAP_TABLES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "stp_msg.h"
#include "stp_utab.h"


/* Bytes that grow.  All memory of this program lives until it exits or the table is done; out of memory ends it. */
struct buf {
	unsigned char *p;
	size_t n, room;
};
void buf_put(struct buf *b, const void *p, size_t n);
void buf_byte(struct buf *b, unsigned v);
void buf_varint(struct buf *b, uint64_t v);
void buf_align(struct buf *b, size_t to);
void buf_free(struct buf *b);
void *mem_zero(size_t n, size_t size);
void *mem_resize(void *p, size_t n, size_t size);

/* The file that a table is made of. */
struct image {
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;                 /* owned by dwfl */
	GElf_Addr bias;           /* of dwfl's addresses over the file's own */
	uint64_t base;            /* lowest address of a loaded segment */
	bool is_32bit;            /* symbols, but no frames */
	struct stp_utab_seg *seg;
	uint32_t nseg;
};

/* image.c: opens the file behind fd (which stays the caller's); debug files that go with it are looked for too.  0, or -1 with *err (constant). */
int image_open(struct image *im, int fd, const char **err);
void image_close(struct image *im);
/* The address less base when it fits; false when it is outside of what a table can tell. */
bool image_addr(const struct image *im, uint64_t addr, uint32_t *ret);

struct symbol {
	uint32_t addr, size;
	char *name;               /* demangled; owned */
	int rank;                 /* the higher, the better of several at one address */
	uint32_t limit;           /* where its section ends; it reaches there, or to the next symbol, when it says no size */
};
/* symbols.c: functions (data false) or objects, sorted by address, one each; *n of them. */
struct symbol *symbols_read(struct image *im, bool data, size_t *n);
void symbols_free(struct symbol *s, size_t n);

/*
 * perf_map.c: the symbols of a list as just-in-time compilers write it, sorted, without overlaps, from `base` on; *n of them.
 * NULL with *err (constant) where it has none.
 */
struct symbol *perf_map_read(int fd, __u64 *base, size_t *n, const char **err);

/* pairs.c: byte pair encoding of n names.  Fills pair[256][2] and code[i], len[i] (at most 255 codes; longer names are cut). */
void pairs_make(char *const *name, size_t n, unsigned char pair[256][2], unsigned char **code, unsigned char *len);

/* encode.c */
struct row {
	uint32_t addr, len, rule;
};
/* cfi.c: rows sorted by address without overlaps, and the rules they name; rule 0 is "none". */
struct row *cfi_rows(struct image *im, size_t *nrows, struct stp_utab_rule **rule, uint32_t *nrules);

struct line {
	uint32_t addr, len, file, line;
};
/* The source lines of a file, sorted, without overlaps; holes are lines 0.  Names of files (owned) into *name. */
struct lines {
	struct line *line;
	size_t n;
	char **file;
	uint32_t nfiles;
};
void lines_read(struct image *im, struct lines *ret);
void lines_free(struct lines *l);

/* The whole table for the file behind fd; `what`: STP_TABLE_*, with _PERF_MAP it is no ELF file.  0, or -1 with *err (constant). */
int table_make(int fd, unsigned what, struct buf *ret, const char **err);
/* May a table have so many bytes?  0, or -1 with *err (constant). */
int table_check_size(__u64 size, const char **err);

#endif
