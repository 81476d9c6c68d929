/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fault-safe memory access: kernel memory by accesses with an exception table entry, the current
 * process's by the kernel's no-fault copies.  Addresses are checked first, so that a wild pointer never
 * meets more than a page fault.
 */
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <asm/processor.h>
#include "port.h"
#include "context.h"
#include "deref.h"

#define USER_PIECE 32 /* bytes of a user string read at once */

/* Kernel addresses: the canonical upper half, without the vsyscall page, up to the last page, which is never mapped. */
static __always_inline bool kernel_range(u64 addr, size_t n)
{
	u64 low = ~0ull << (boot_cpu_data.x86_virt_bits - 1);

	return addr >= low && addr <= (u64)-PAGE_SIZE - n && !(addr + n > VSYSCALL_ADDR && addr < VSYSCALL_ADDR + PAGE_SIZE);
}

stp_cold void stp_fault(struct stp_ctx *c, const char *what, u64 addr)
{
	struct stp_context *x = stp_context_of(c);

	if (c->err)
		return;
	scnprintf(x->msg, sizeof(x->msg), "%s fault at 0x%016llx (addr)", what, addr);
	c->err = x->msg;
}

/* The same for reads of the process's memory; what is missing may be brought in, and the handler run again. */
static stp_cold void user_fault(struct stp_ctx *c, const char *what, u64 addr, u64 missing, u32 len)
{
	stp_context_of(c)->fault = missing;
	stp_context_of(c)->fault_len = len;
	stp_fault(c, what, addr);
}

#define LOAD(type) do { \
	type v_; \
	__get_kernel_nofault(&v_, (const void *)addr, type, fault); \
	pagefault_enable(); \
	return v_; \
} while (0)

u64 stp_load(struct stp_ctx *c, u64 addr, u32 size)
{
	if (likely(kernel_range(addr, 8))) {
		pagefault_disable();
		switch (size) {
		case 8: LOAD(u64);
		case 4: LOAD(u32);
		case 2: LOAD(u16);
		case 1: LOAD(u8);
		}
fault:
		pagefault_enable();
	}
	stp_fault(c, "kernel read", addr);
	return 0;
}

#define STORE(type) do { \
	type v_ = v; \
	__put_kernel_nofault((void *)addr, &v_, type, fault); \
	pagefault_enable(); \
	return; \
} while (0)

void stp_store(struct stp_ctx *c, u64 addr, u32 size, u64 v)
{
	if (likely(kernel_range(addr, 8))) {
		pagefault_disable();
		switch (size) {
		case 8: STORE(u64);
		case 4: STORE(u32);
		case 2: STORE(u16);
		case 1: STORE(u8);
		}
fault:
		pagefault_enable();
	}
	stp_fault(c, "kernel write", addr);
}

u64 stp_uload(struct stp_ctx *c, u64 addr, u32 size)
{
	u64 v = 0;

	if (likely(size <= sizeof(v)) && likely(!copy_from_user_nofault(&v, (const void __user *)addr, size)))
		return v;
	user_fault(c, "user read", addr, addr, size);
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
	user_fault(c, "user read", addr, addr, n);
	return false;
}

/* Room for a string of at most max bytes in scratch; the bytes used are taken afterwards. */
static char *string_room(struct stp_ctx *c, u32 *max)
{
	u32 most = stp_script.config->maxstringlen - 1;
	char *p = c->scratch;

	if (!*max || *max > most)
		*max = most;
	if (likely((size_t)(c->scratch_end - p) >= (size_t)*max + 8))
		return p;
	stp_fail(c, "out of string memory (see -D MAXSTRINGLEN and MAXNESTING)");
	return NULL;
}

static struct stp_str string_taken(struct stp_ctx *c, char *p, size_t len)
{
	c->scratch = p + ALIGN(len, 8);
	return (struct stp_str){ p, len };
}

/* Bytes before the first zero byte of a word (little endian); 8: none. */
static __always_inline u32 word_length(u64 w)
{
	u64 zero = (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;

	return zero ? __builtin_ctzll(zero) / 8 : 8;
}

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
			user_fault(c, "user string copy", addr, addr + len, 1);
			return STP_STR("");
		}
		got = strnlen(p + len, step);
		len += got;
		if (got < step)
			break;
	}
	return string_taken(c, p, min(len, max));
}
