/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault-safe memory access beyond what generated code calls. */
#ifndef STP_DEREF_H
#define STP_DEREF_H

#include "stp.h"

/* The error "WHAT fault at 0x... (addr)". */
void stp_fault(struct stp_ctx *c, const char *what, u64 addr);
/* ... of a read of the current process; `len` bytes at `missing` may be brought in, and the handler run again. */
void stp_user_fault(struct stp_ctx *c, const char *what, u64 addr, u64 missing, u32 len);
/* n bytes of the current process; false with the error set on a fault. */
bool stp_copy_user(struct stp_ctx *c, void *dst, u64 addr, size_t n);

#endif
