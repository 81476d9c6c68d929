/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Library functions that the runtime implements: stp_fn_NAME is the script's NAME().  Generated C declares
 * what it calls itself; these declarations are for the runtime.  All run in any context, never sleep, and
 * return string views that stay valid until the handler ends or lie in scratch memory.
 */
#ifndef STP_FN_H
#define STP_FN_H

#include <linux/types.h>
#include "stp.h"

s64 stp_fn_pid(struct stp_ctx *c);
s64 stp_fn_tid(struct stp_ctx *c);
struct stp_str stp_fn_execname(struct stp_ctx *c);
s64 stp_fn_ppid(struct stp_ctx *c);
struct stp_str stp_fn_pexecname(struct stp_ctx *c);
s64 stp_fn_pgrp(struct stp_ctx *c);
s64 stp_fn_sid(struct stp_ctx *c);
s64 stp_fn_uid(struct stp_ctx *c);
s64 stp_fn_euid(struct stp_ctx *c);
s64 stp_fn_gid(struct stp_ctx *c);
s64 stp_fn_egid(struct stp_ctx *c);
s64 stp_fn_cpu(struct stp_ctx *c);
s64 stp_fn_target(struct stp_ctx *c);
s64 stp_fn_stp_pid(struct stp_ctx *c);
struct stp_str stp_fn_module_name(struct stp_ctx *c);
struct stp_str stp_fn_pp(struct stp_ctx *c);
struct stp_str stp_fn_pn(struct stp_ctx *c);
struct stp_str stp_fn_probefunc(struct stp_ctx *c);
struct stp_str stp_fn_ppfunc(struct stp_ctx *c);
struct stp_str stp_fn_probemod(struct stp_ctx *c);
s64 stp_fn_is_return(struct stp_ctx *c);
s64 stp_fn_user_mode(struct stp_ctx *c);
s64 stp_fn_addr(struct stp_ctx *c);
s64 stp_fn_registers_valid(struct stp_ctx *c);
/* The words of struct pt_regs where this kind of probe has them, else NULL: c->regs may be another hit's. */
const u64 *stp_registers(const struct stp_ctx *c);
s64 stp_fn_num_online_cpus(struct stp_ctx *c);

struct stp_str stp_fn_kernel_string(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_kernel_string_n(struct stp_ctx *c, s64 addr, s64 n);
struct stp_str stp_fn_kernel_string_utf16(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_kernel_string_utf32(struct stp_ctx *c, s64 addr);
s64 stp_fn_kernel_char(struct stp_ctx *c, s64 addr);
s64 stp_fn_kernel_short(struct stp_ctx *c, s64 addr);
s64 stp_fn_kernel_int(struct stp_ctx *c, s64 addr);
s64 stp_fn_kernel_long(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_user_string(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_user_string_n(struct stp_ctx *c, s64 addr, s64 n);
struct stp_str stp_fn_user_string_utf16(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_user_string_utf32(struct stp_ctx *c, s64 addr);
s64 stp_fn_user_char(struct stp_ctx *c, s64 addr);
s64 stp_fn_user_short(struct stp_ctx *c, s64 addr);
s64 stp_fn_user_int(struct stp_ctx *c, s64 addr);
s64 stp_fn_user_long(struct stp_ctx *c, s64 addr);

void stp_fn_exit(struct stp_ctx *c);
void stp_fn_error(struct stp_ctx *c, struct stp_str msg);
void stp_fn_warn(struct stp_ctx *c, struct stp_str msg);
void stp_fn_printk(struct stp_ctx *c, s64 level, struct stp_str msg);
void stp_fn_switch_file(struct stp_ctx *c);
void stp_fn_system(struct stp_ctx *c, struct stp_str cmd);
s64 stp_fn_randint(struct stp_ctx *c, s64 n);

struct stp_str stp_fn_backtrace(struct stp_ctx *c);
struct stp_str stp_fn_task_backtrace(struct stp_ctx *c, s64 task);
void stp_fn_print_backtrace(struct stp_ctx *c);
struct stp_str stp_fn_sprint_backtrace(struct stp_ctx *c);
void stp_fn_print_stack(struct stp_ctx *c, struct stp_str stack);
struct stp_str stp_fn_sprint_stack(struct stp_ctx *c, struct stp_str stack);
s64 stp_fn_stack(struct stp_ctx *c, s64 n);
struct stp_str stp_fn_callers(struct stp_ctx *c, s64 n);
struct stp_str stp_fn_symname(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_symdata(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_modname(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_symfile(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_symline(struct stp_ctx *c, s64 addr);
struct stp_str stp_fn_symfileline(struct stp_ctx *c, s64 addr);
void stp_fn_print_backtrace_fileline(struct stp_ctx *c);
struct stp_str stp_fn_sprint_backtrace_fileline(struct stp_ctx *c);

s64 stp_fn_strlen(struct stp_ctx *c, struct stp_str str);
struct stp_str stp_fn_substr(struct stp_ctx *c, struct stp_str str, s64 start, s64 length);
s64 stp_fn_stringat(struct stp_ctx *c, struct stp_str str, s64 pos);
s64 stp_fn_isinstr(struct stp_ctx *c, struct stp_str str, struct stp_str needle);
s64 stp_fn_strpos(struct stp_ctx *c, struct stp_str str, struct stp_str needle);
s64 stp_fn_strtol(struct stp_ctx *c, struct stp_str str, s64 base);
struct stp_str stp_fn_str_replace(struct stp_ctx *c, struct stp_str str, struct stp_str old, struct stp_str repl);
struct stp_str stp_fn_text_str(struct stp_ctx *c, struct stp_str str);
struct stp_str stp_fn_text_strn(struct stp_ctx *c, struct stp_str str, s64 length, s64 quoted);
struct stp_str stp_fn_matched(struct stp_ctx *c, s64 n);
s64 stp_fn_ngroups(struct stp_ctx *c);
/* A handler that calls tokenize() begins with this: what an earlier hit left is not for it. */
void stp_tokens_forget(struct stp_ctx *c);
struct stp_str stp_fn_tokenize(struct stp_ctx *c, struct stp_str str, struct stp_str delim);

s64 stp_fn_task_current(struct stp_ctx *c);
s64 stp_fn_pid2task(struct stp_ctx *c, s64 pid);

s64 stp_fn_gettimeofday_ns(struct stp_ctx *c);
s64 stp_fn_ktime_get_ns(struct stp_ctx *c);
s64 stp_fn_cpu_clock_ns(struct stp_ctx *c, s64 cpu);
s64 stp_fn_local_clock_ns(struct stp_ctx *c);
s64 stp_fn_get_cycles(struct stp_ctx *c);
s64 stp_fn_jiffies(struct stp_ctx *c);
s64 stp_fn_HZ(struct stp_ctx *c);
struct stp_str stp_fn_ctime(struct stp_ctx *c, s64 seconds);
s64 stp_fn_tz_gmtoff(struct stp_ctx *c);
struct stp_str stp_fn_tz_name(struct stp_ctx *c);

#endif
