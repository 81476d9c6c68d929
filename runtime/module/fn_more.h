/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Library functions that the runtime implements, beyond the basics (fn.h has those and what holds for all).
 */
#ifndef STP_FN_MORE_H
#define STP_FN_MORE_H

#include "stp.h"

/* n bytes of the current process in quotes, zero bytes and all; at most `most` of them, "..." for the rest. */
struct stp_str stp_fn_user_buffer(struct stp_ctx *c, s64 addr, s64 n, s64 most);

/* Argument number n (from 1) of the function or tracepoint that was hit, as a 64-bit word. */
s64 stp_fn_arg(struct stp_ctx *c, s64 n);
/* What the function returns, in a return probe. */
s64 stp_fn_returnval(struct stp_ctx *c);
/* A register by its name ("rax", "eax"); 32-bit names sign-extended, or not (u_).  Unknown names are errors. */
s64 stp_fn_register(struct stp_ctx *c, struct stp_str name);
s64 stp_fn_u_register(struct stp_ctx *c, struct stp_str name);

/* Bytes in a page. */
s64 stp_fn_page_size(struct stp_ctx *c);
#endif
