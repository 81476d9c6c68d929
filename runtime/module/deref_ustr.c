/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of the current process (deref.c). */
#include "deref_range.h"

#define USER_PIECE 32 /* bytes read at once */

/*
 * Are the current process's pages those that the CPU sees?  For certain where a handler runs on the way in from user mode: else the kernel's
 * own function asks.
 */
static __always_inline bool from_user_mode(const struct stp_ctx *c)
{
	return (const struct pt_regs *)c->regs == task_pt_regs(current) && !stp_context_of((struct stp_ctx *)c)->nmi;
}

#define USER_SURE (1ull << 47) /* lower addresses are user space's on every CPU */

/* By words, as stp_cstr(), as far as that goes: to the end (true), or before something that is not there.  No calls while access is open. */
static bool user_words(char *p, u64 addr, u32 max, u32 *done)
{
	u32 len = 0, step = 8;
	u64 w;

	pagefault_disable();
	__uaccess_begin_nospec();
	for (; len < max && ((addr + len) & (PAGE_SIZE - 1)) <= PAGE_SIZE - 8; len += 8) {
		unsafe_get_user(w, (const u64 __user *)(uintptr_t)(addr + len), fault);
		__builtin_memcpy(p + len, &w, 8);
		step = word_length(w);
		if (step < 8)
			break;
	}
	__uaccess_end();
	pagefault_enable();
	*done = len + (step < 8 ? step : 0);
	return step < 8;
fault:
	__uaccess_end();
	pagefault_enable();
	*done = len;
	return false;
}

/* By pieces that end at multiples of their size, so that none crosses into the next page. */
struct stp_str stp_ucstr(struct stp_ctx *c, u64 addr, u32 max)
{
	char *p = string_room(c, &max);
	u32 len = 0, step, got;

	if (!p)
		return STP_STR("");
	if (likely(from_user_mode(c) && addr < USER_SURE - (64u << 10)) && user_words(p, addr, max, &len))
		return string_taken(c, p, min(len, max));
	while (len < max) {
		step = min_t(u32, USER_PIECE - ((addr + len) & (USER_PIECE - 1)), max - len);
		if (copy_from_user_nofault(p + len, (const void __user *)(addr + len), step)) {
			stp_user_fault(c, "user string copy", addr, addr + len, 1);
			return STP_STR("");
		}
		got = strnlen(p + len, step);
		len += got;
		if (got < step)
			break;
	}
	return string_taken(c, p, min(len, max));
}
