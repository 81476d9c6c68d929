/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of addresses of the current process. */
#ifndef STP_USYM_H
#define STP_USYM_H

#include "stp.h"
#include "utab.h"

enum { STP_USYM_OFFSET = 1 /* "+0x1/0x20" */, STP_USYM_MODULE = 2 /* " [/bin/bash]" */, STP_USYM_BRIEF = 4 /* "+0x1" */,
       STP_USYM_CALL = 8 /* a return address: behind a call that is a function's last instruction it still names that function */,
       STP_USYM_LINE = 16 /* a line of a stack, " 0x1234 : " in front */ };

/* What is mapped at the last address that was looked up, for the next one; zero to begin with, good as long as interrupts stay off. */
struct stp_umap;
struct stp_usym_place {
	const struct stp_umap *m;
	const struct stp_utab *t;
	u64 delta;                /* from an address to the file's own */
	struct stp_utab_sym sym;
};

/* Puts the name of a function or object; "0x..." when it has none.  Any context; sets no error. */
void stp_usym_put(struct stp_ctx *c, struct stp_sink *o, u64 addr, u32 how);
void stp_usym_put_at(struct stp_ctx *c, struct stp_sink *o, struct stp_usym_place *w, u64 addr, u32 how);
/* A line for each of n addresses of a stack, the first of which is no return address. */
void stp_usym_put_stack(struct stp_ctx *c, struct stp_sink *o, const u64 *pc, u32 n, u32 how);
/* " [/bin/bash]": what is mapped there. */
void stp_usym_put_module(struct stp_ctx *c, struct stp_sink *o, const struct stp_umap *m);
/* stp_usym_put()'s text as a string in scratch. */
struct stp_str stp_usym_text(struct stp_ctx *c, u64 addr, u32 how);

/* ufile.c: makes what makes look-ups quick, or frees it when the module goes.  Process context. */
void stp_usym_cache(bool make) __weak;

#endif
