/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel symbols by address, from the kernel's own table. */
#ifndef STP_SYMBOL_H
#define STP_SYMBOL_H

#include "stp.h"

/* All return views in scratch; any context. */
struct stp_str stp_symbol_name(struct stp_ctx *c, u64 addr);   /* "vfs_read"; "0x..." when unknown */
struct stp_str stp_symbol_full(struct stp_ctx *c, u64 addr);   /* "vfs_read+0x10/0x1b0 [kernel]"; "0x..." */
struct stp_str stp_symbol_module(struct stp_ctx *c, u64 addr); /* "kernel", a module's name, "" when unknown */
#endif
