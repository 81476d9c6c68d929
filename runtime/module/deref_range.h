/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the fault-safe accesses: which addresses may be tried, room for strings. */
#ifndef STP_DEREF_RANGE_H
#define STP_DEREF_RANGE_H

#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <asm/processor.h>
#include "port.h"
#include "context.h"
#include "deref.h"

/* Kernel addresses: the canonical upper half, without the vsyscall page, up to the last page, which is never mapped. */
static __always_inline bool kernel_range(u64 addr, size_t n)
{
	u64 low = ~0ull << (boot_cpu_data.x86_virt_bits - 1);

	return addr >= low && addr <= (u64)-PAGE_SIZE - n && !(addr + n > VSYSCALL_ADDR && addr < VSYSCALL_ADDR + PAGE_SIZE);
}

/* Room for a string of at most max bytes in scratch; the bytes used are taken afterwards. */
static inline char *string_room(struct stp_ctx *c, u32 *max)
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

static inline struct stp_str string_taken(struct stp_ctx *c, char *p, size_t len)
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

#endif
