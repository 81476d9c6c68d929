/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of system calls' parameters, for functions that take them as saved registers. */
#ifndef STAP_SYSCALL_PARAMS_H
#define STAP_SYSCALL_PARAMS_H

/*
 * The member of struct pt_regs that holds a parameter of __x64_sys_NAME, and how many of its bits count: 64, 32, or -32 where
 * they are signed.  NULL for other functions and names.
 */
const char *syscall_param(const char *function, const char *name, int *bits);
/* All of a function's parameters, as in C, for messages; NULL for other functions. */
const char *syscall_param_list(const char *function);
#endif
