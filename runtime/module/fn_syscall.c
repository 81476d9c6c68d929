/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of system calls, from the table of the kernel this is compiled for: its own build turns
 * arch/x86/entry/syscalls/syscall_64.tbl into lines __SYSCALL(number, sys_name).
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "stp.h"
#include "fn_syscall.h"

#define __SYSCALL(nr, sym) [nr] = #sym,
#define __SYSCALL_NORETURN(nr, sym) [nr] = #sym,
static const char *const entry_point[] = {
#include <asm/syscalls_64.h>
};

/* Entry points that are called otherwise than the system call (syscall_64.tbl, second and fourth column). */
static const struct {
	const char *entry, *name;
} renamed[] = {
	{ "newstat", "stat" }, { "newfstat", "fstat" }, { "newlstat", "lstat" }, { "newuname", "uname" },
	{ "sendfile64", "sendfile" }, { "umount", "umount2" },
	{ "ni_syscall", "" },
};

struct stp_str stp_fn_syscall_name(struct stp_ctx *c, s64 nr)
{
	const char *name = nr >= 0 && nr < (s64)ARRAY_SIZE(entry_point) ? entry_point[nr] : NULL;

	if (!name)
		return (struct stp_str){ "", 0 };
	if (!strncmp(name, "sys_", 4))
		name += 4;
	for (unsigned int i = 0; i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(name, renamed[i].entry))
			name = renamed[i].name;
	return (struct stp_str){ name, strlen(name) };
}
