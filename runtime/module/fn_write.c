/* SPDX-License-Identifier: GPL-2.0-or-later */
/* defines: stp_fn_set_kernel_ stp_fn_set_user_ */
/* Library functions of guru mode that write to memory at an address: the kernel's, the current process's. */
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include "port.h"
#include "deref.h"
#include "fn_more.h"

#define SETTERS(name, size) \
void stp_fn_set_kernel_##name(struct stp_ctx *c, s64 addr, s64 v) { stp_store(c, addr, size, v); } \
void stp_fn_set_user_##name(struct stp_ctx *c, s64 addr, s64 v) { stp_ustore(c, addr, size, v); }

SETTERS(char, 1)
SETTERS(short, 2)
SETTERS(int, 4)
SETTERS(long, 8)

/* Byte by byte: there is no other exported way that cannot fault. */
static void kernel_bytes(struct stp_ctx *c, u64 addr, struct stp_str s, bool zero)
{
	u32 i;

	for (i = 0; i < s.len && !c->err; i++)
		stp_store(c, addr + i, 1, s.p[i]);
	if (zero && !c->err)
		stp_store(c, addr + i, 1, 0);
}

static void user_bytes(struct stp_ctx *c, u64 addr, struct stp_str s, bool zero)
{
	if (copy_to_user_nofault((void __user *)addr, s.p, s.len))
		stp_fault(c, "user write", addr);
	else if (zero)
		stp_ustore(c, addr + s.len, 1, 0);
}

/* At most n bytes, the zero byte among them where it fits. */
static struct stp_str cut(struct stp_str s, s64 n, bool *zero)
{
	*zero = n > (s64)s.len;
	s.len = n < 0 ? 0 : min_t(s64, n, s.len);
	return s;
}

void stp_fn_set_kernel_string(struct stp_ctx *c, s64 addr, struct stp_str s)
{
	kernel_bytes(c, addr, s, true);
}

void stp_fn_set_kernel_string_n(struct stp_ctx *c, s64 addr, s64 n, struct stp_str s)
{
	bool zero;

	s = cut(s, n, &zero);
	kernel_bytes(c, addr, s, zero);
}

void stp_fn_set_user_string(struct stp_ctx *c, s64 addr, struct stp_str s)
{
	user_bytes(c, addr, s, true);
}

void stp_fn_set_user_string_n(struct stp_ctx *c, s64 addr, s64 n, struct stp_str s)
{
	bool zero;

	s = cut(s, n, &zero);
	user_bytes(c, addr, s, zero);
}
