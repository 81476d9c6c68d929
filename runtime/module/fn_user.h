/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions about the memory, symbols and stacks of user programs; as in fn.h. */
#ifndef STP_FN_USER_H
#define STP_FN_USER_H

#include "stp.h"

struct stp_str stp_fn_usymname(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_usymdata(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_umodname(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_umodpath(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_umodbuildid(struct stp_ctx *c, s64 addr);

/* Frames of the current process from where it is in user mode; _from: from (pc, stack pointer, frame pointer). */
struct stp_str stp_fn_ubacktrace(struct stp_ctx *c);
struct stp_str stp_fn_ubacktrace_from(struct stp_ctx *c, s64 pc, s64 sp, s64 fp);
struct stp_str stp_fn_ucallers(struct stp_ctx *c, s64 n);
s64 stp_fn_ustack(struct stp_ctx *c, s64 n);
void stp_fn_print_ubacktrace(struct stp_ctx *c, s64 brief);
void stp_fn_print_ubacktrace_from(struct stp_ctx *c, s64 pc, s64 sp, s64 fp);
struct stp_str stp_fn_sprint_ubacktrace(struct stp_ctx *c);
struct stp_str stp_fn_sprint_ubacktrace_from(struct stp_ctx *c, s64 pc, s64 sp, s64 fp);
/* Addresses in hexadecimal, as ubacktrace() gives, by name. */
void stp_fn_print_ustack(struct stp_ctx *c, struct stp_str stack);
struct stp_str stp_fn_sprint_ustack(struct stp_ctx *c, struct stp_str stack);

/* The mapping that an address of the current process is in: 0, "" where there is none; the start of the first one that begins above. */
s64 stp_fn_umap_start(struct stp_ctx *c, s64 addr);
s64 stp_fn_umap_end(struct stp_ctx *c, s64 addr);
s64 stp_fn_umap_offset(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_umap_perms(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_umap_path(struct stp_ctx *c, s64 addr);
s64 stp_fn_umap_next(struct stp_ctx *c, s64 addr);
/* All of them, as /proc/PID/maps. */
void stp_fn_print_umaps(struct stp_ctx *c);

/* Source files and lines; the address where they are not known. */
struct stp_str stp_fn_usymfile(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_usymline(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_usymfileline(struct stp_ctx *c, s64 addr);
void stp_fn_print_ubacktrace_fileline(struct stp_ctx *c);
void stp_fn_print_ubacktrace_fileline_from(struct stp_ctx *c, s64 pc, s64 sp, s64 fp);
struct stp_str stp_fn_sprint_ubacktrace_fileline(struct stp_ctx *c);

#endif
