/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry points of system calls without arguments.  The kernel defines them as other names of __do_sys_NAME (SYSCALL_DEFINE0 in
 * arch/x86/include/asm/syscall_wrapper.h), and BTF has that name alone; the running kernel's symbols have all of them.
 */
#ifndef STAP_SYSCALL_ALIAS_H
#define STAP_SYSCALL_ALIAS_H

#include "debuginfo/types.h"

struct session;

/* Is `name` such an entry point (__x64_sys_NAME, __ia32_sys_NAME) that the kernel's types do not have under this name? */
bool syscall_alias_is(struct types_module *kernel, const char *name);
/* Calls fn for each of them whose names may match a pattern that begins with one of those prefixes; names live as long as s. */
void syscall_alias_each(struct session *s, struct types_module *kernel, const char *pattern,
			void (*fn)(void *data, const char *name), void *data);

#endif
