/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of kernel memory (deref.c). */
#include "deref_range.h"

/* By words, which may not cross into the next page: it may not be there. */
struct stp_str stp_cstr(struct stp_ctx *c, u64 addr, u32 max)
{
	char *p = string_room(c, &max);
	u32 len = 0, step;
	u64 w;
	u8 b;

	if (!p)
		return STP_STR("");
	if (!kernel_range(addr, (size_t)max + 8))
		goto bad;
	pagefault_disable();
	while (len < max) {
		u64 at = addr + len;

		if (likely((at & (PAGE_SIZE - 1)) <= PAGE_SIZE - 8)) {
			__get_kernel_nofault(&w, (const void *)at, u64, fault);
			__builtin_memcpy(p + len, &w, 8);
			step = word_length(w);
			len += step;
			if (step < 8)
				break;
			continue;
		}
		__get_kernel_nofault(&b, (const void *)at, u8, fault);
		p[len] = b;
		if (!b)
			break;
		len++;
	}
	pagefault_enable();
	return string_taken(c, p, min(len, max));
fault:
	pagefault_enable();
bad:
	stp_fault(c, "kernel string copy", addr);
	return STP_STR("");
}
