/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fault-safe memory access: kernel memory by accesses with an exception table entry, the current
 * process's by the kernel's no-fault copies.  Addresses are checked first, so that a wild pointer never
 * meets more than a page fault. What has an exception table entry is always linked with its unit, so that there is a unit for each
 * such function (deref_load.c, deref_store.c, deref_str.c, deref_ustr.c).
 */
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <asm/processor.h>
#include "port.h"
#include "context.h"
#include "deref_range.h"

stp_cold void stp_fault(struct stp_ctx *c, const char *what, u64 addr)
{
	struct stp_context *x = stp_context_of(c);

	if (c->err)
		return;
	scnprintf(x->msg, sizeof(x->msg), "%s fault at 0x%016llx (addr)", what, addr);
	c->err = x->msg;
}

/* The same for reads of the process's memory; what is missing may be brought in, and the handler run again. */
stp_cold void stp_user_fault(struct stp_ctx *c, const char *what, u64 addr, u64 missing, u32 len)
{
	struct stp_context *x = stp_context_of(c);

	x->fault = missing;
	x->fault_len = len;
	if (!c->err && x->may_restart && !c->out.p && !x->lost)
		c->again = 1;
	stp_fault(c, what, addr);
}

u64 stp_uload(struct stp_ctx *c, u64 addr, u32 size)
{
	u64 v = 0;

	if (likely(size <= sizeof(v)) && likely(!copy_from_user_nofault(&v, (const void __user *)addr, size)))
		return v;
	stp_user_fault(c, "user read", addr, addr, size);
	return 0;
}

void stp_ustore(struct stp_ctx *c, u64 addr, u32 size, u64 v)
{
	if (size > sizeof(v) || copy_to_user_nofault((void __user *)addr, &v, size))
		stp_fault(c, "user write", addr);
}

bool stp_copy_mem(struct stp_ctx *c, void *dst, u64 addr, size_t n)
{
	if (likely(n < (1u << 30) && kernel_range(addr, n) && !copy_from_kernel_nofault(dst, (const void *)addr, n)))
		return true;
	stp_fault(c, "kernel read", addr);
	return false;
}

bool stp_copy_user(struct stp_ctx *c, void *dst, u64 addr, size_t n)
{
	if (likely(!copy_from_user_nofault(dst, (const void __user *)addr, n)))
		return true;
	stp_user_fault(c, "user read", addr, addr, n);
	return false;
}
