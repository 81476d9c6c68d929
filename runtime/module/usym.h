/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of addresses of the current process. */
#ifndef STP_USYM_H
#define STP_USYM_H

#include "stp.h"

enum { STP_USYM_OFFSET = 1 /* "+0x1/0x20" */, STP_USYM_MODULE = 2 /* " [/bin/bash]" */, STP_USYM_BRIEF = 4 /* "+0x1" */,
       STP_USYM_CALL = 8 /* a return address: behind a call that is a function's last instruction it still names that function */ };

/* Puts the name of a function or object; "0x..." when it has none.  Any context; sets no error. */
void stp_usym_put(struct stp_ctx *c, struct stp_sink *o, u64 addr, u32 how);
/* " [/bin/bash]": what is mapped there. */
struct stp_umap;
void stp_usym_put_module(struct stp_ctx *c, struct stp_sink *o, const struct stp_umap *m);
/* stp_usym_put()'s text as a string in scratch. */
struct stp_str stp_usym_text(struct stp_ctx *c, u64 addr, u32 how);

#endif
