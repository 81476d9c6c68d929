/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a program, as bytes; and what of it bears no breakpoint. */
#include <gelf.h>

#include "probe_process.h"

const uint8_t *user_code_at(const struct user_elf *ue, uint64_t addr, uint64_t size)
{
	uint64_t offset;
	size_t all;
	const char *raw = elf_rawfile(ue->elf, &all);

	if (!raw || !user_elf_offset(ue, addr, true, &offset) || offset > all || size > all - offset)
		return NULL;
	return (const uint8_t *)raw + offset;
}

static bool is_legacy_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 ||
	       byte == 0x64 || byte == 0x65;
}

bool user_is_mistaken_nop(const struct user_elf *ue, uint64_t addr)
{
	const uint8_t *p;

	for (unsigned i = 0; i < 14; i++) {
		p = ue->is_32bit ? NULL : user_code_at(ue, addr + i, 2);
		if (!p || !is_legacy_prefix(*p))
			return p && (*p & 0xf1) == 0x41 && p[1] == 0x90;
	}
	return false;
}
