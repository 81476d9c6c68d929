/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Library functions that the runtime implements, beyond the basics (fn.h has those and what holds for all).
 */
#ifndef STP_FN_MORE_H
#define STP_FN_MORE_H

#include "stp.h"

/* n bytes of the current process in quotes, zero bytes and all; at most `most` of them, "..." for the rest. */
struct stp_str stp_fn_user_buffer(struct stp_ctx *c, s64 addr, s64 n, s64 most);
/* The same of the kernel's memory. */
struct stp_str stp_fn_kernel_buffer(struct stp_ctx *c, s64 addr, s64 n, s64 most);

/* Argument number n (from 1) of the function or tracepoint that was hit, as a 64-bit word. */
s64 stp_fn_arg(struct stp_ctx *c, s64 n);
/* What the function returns, in a return probe. */
s64 stp_fn_returnval(struct stp_ctx *c);
/* A register by its name ("rax", "eax"); 32-bit names sign-extended, or not (u_).  Unknown names are errors. */
s64 stp_fn_register(struct stp_ctx *c, struct stp_str name);
s64 stp_fn_u_register(struct stp_ctx *c, struct stp_str name);

/* The script's own struct module. */
s64 stp_fn_this_module(struct stp_ctx *c);

/* Guru mode.  Busy waits of up to a second, in milliseconds and microseconds; the end of the machine; a signal to the
 * current thread, which is sent as soon as interrupts are on again. */
void stp_fn_mdelay(struct stp_ctx *c, s64 ms);
void stp_fn_udelay(struct stp_ctx *c, s64 us);
void stp_fn_panic(struct stp_ctx *c, struct stp_str msg);
void stp_fn_raise(struct stp_ctx *c, s64 sig);

/* Guru mode: writes to the kernel's and the current process's memory; strings with their zero byte, or (_n) at most n bytes. */
void stp_fn_set_kernel_char(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_kernel_short(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_kernel_int(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_kernel_long(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_kernel_string(struct stp_ctx *c, s64 addr, struct stp_str s);
void stp_fn_set_kernel_string_n(struct stp_ctx *c, s64 addr, s64 n, struct stp_str s);
void stp_fn_set_user_char(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_user_short(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_user_int(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_user_long(struct stp_ctx *c, s64 addr, s64 v);
void stp_fn_set_user_string(struct stp_ctx *c, s64 addr, struct stp_str s);
void stp_fn_set_user_string_n(struct stp_ctx *c, s64 addr, s64 n, struct stp_str s);

/* A line in the kernel's trace buffer (tracefs, "trace"). */
void stp_fn_ftrace(struct stp_ctx *c, struct stp_str msg);

/* Load averages over 1, 5 and 15 minutes (i 0 to 2), in 2048ths. */
s64 stp_fn_loadavg(struct stp_ctx *c, s64 i);
/* 1 when the probed task runs 32-bit code. */
s64 stp_fn_probing_32bit_app(struct stp_ctx *c);
/* The user's instruction, where there is one; else 0. */
s64 stp_fn_uaddr(struct stp_ctx *c);
/* 1: that process is target() or descends from it. */
s64 stp_fn_target_set_pid(struct stp_ctx *c, s64 pid);

/* struct pid of the process whose namespaces the ns_ functions speak of, and struct user_namespace. */
s64 stp_fn_ns_of_pid(struct stp_ctx *c);
s64 stp_fn_ns_of_user(struct stp_ctx *c);

/* What the probe stands on: "kprobe", "uretprobe", "timer" and the like. */
struct stp_str stp_fn_probe_type(struct stp_ctx *c);
/* The kernel's stack in bytes: all of it, what was free when the handler began. */
s64 stp_fn_kstk_size(struct stp_ctx *c);
s64 stp_fn_kstk_unused(struct stp_ctx *c);
/* The memory node that the kernel's direct map has an address on; -1: none. */
s64 stp_fn_addr_to_node(struct stp_ctx *c, s64 addr);

/* A set of signals as text: "SIGHUP|SIGINT". */
struct stp_str stp_fn_sigset(struct stp_ctx *c, s64 mask);

/* Bytes in a page. */
s64 stp_fn_page_size(struct stp_ctx *c);
#endif
