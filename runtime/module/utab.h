/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the tables of user programs (stp_utab.h).  Pure code: it compiles for user space as well.  All but
 * stp_utab_check may be called in any context, NMIs too; they neither sleep nor allocate.
 */
#ifndef STP_UTAB_READ_H
#define STP_UTAB_READ_H

#include "port.h"
#include "stp_utab.h"

/* True when `size` bytes at t are a table that the functions below can be given.  Process context; time linear in size. */
bool stp_utab_check(const struct stp_utab *t, size_t size);

/* The file's own address of a byte at offset `off` of the file, mapped by a mapping with these rights (PROT_EXEC matters
 * where segments share a page of the file); false: in no segment. */
bool stp_utab_addr(const struct stp_utab *t, u64 off, bool exec, u64 *addr);
/* ... of memory that goes on behind a segment's part in the file (.bss), at what would be offset `off`. */
bool stp_utab_bss_addr(const struct stp_utab *t, u64 off, u64 *addr);

struct stp_utab_sym {
	u64 addr;                 /* the file's own */
	u32 size;                 /* bytes; 0: not known */
	u32 pos, codes;           /* of the name; for stp_utab_name */
};
/* The symbol that covers an address (or, of size 0, is the last before it); false: none. */
bool stp_utab_find(const struct stp_utab *t, const struct stp_utab_list *l, u64 addr, struct stp_utab_sym *ret);
/* The name into buf; returns its length, at most max (longer names are cut) and STP_UTAB_NAME. */
size_t stp_utab_name(const struct stp_utab *t, const struct stp_utab_list *l, const struct stp_utab_sym *s, char *buf, size_t max);

/* The source file and line of an address; NULL when they are not known. */
const char *stp_utab_line(const struct stp_utab *t, u64 addr, u32 *line);

/* The rule for a pc (the file's own address), or NULL where no frame is described. */
const struct stp_utab_rule *stp_utab_rule(const struct stp_utab *t, u64 pc);

/* The registers of one frame. */
struct stp_uregs {
	u64 ip, sp, bp;
	bool bp_known;
	const u64 *all;           /* the innermost frame: all registers, in DWARF's order, 0 to 15; else NULL */
};
/* Reads 8 bytes of the process; false: not there. */
typedef bool (*stp_uread_fn)(void *data, u64 addr, u64 *ret);
enum stp_step { STP_STEP_OK, STP_STEP_END, STP_STEP_LOST };
/*
 * From a frame to its caller.  `pc`: r->ip as the file's own address.  OK: r is the caller's; *signal tells that
 * its ip is where it was interrupted, not behind a call.  LOST: no rule, a register that is not known, or memory that is not there.
 */
enum stp_step stp_utab_step(const struct stp_utab_rule *rule, u64 pc, struct stp_uregs *r, stp_uread_fn read, void *data, bool *signal);

#endif
