/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lengths of x86-64 instructions.  A letter for each opcode tells what follows it; that a ModRM byte brings
 * a SIB byte and a displacement is the same everywhere.
 */
#include "x86_length.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 15

/*
 * .  nothing                          -  no instruction in 64-bit mode
 * m  ModRM                            p  a prefix               r  a REX prefix
 * b  8 bits      B  with ModRM        0  map 0F                 8 A  maps 0F38, 0F3A
 * w  16 bits                          V U  VEX of 3 and 2 bytes E  EVEX
 * z  16 or 32    Z  with ModRM        X  POP or, by the map it names, XOP
 * v  16 to 64 bits                    g G  ModRM, and b or z when it is TEST
 * j  32 bits, whatever the prefixes   k  ModRM that names registers only
 * o  an address                       s  ModRM, and two of 8 bits for EXTRQ and INSERTQ
 * e  16 and 8 bits
 */
static const char one_byte[] =
	"mmmmbz--mmmmbz-0" "mmmmbz--mmmmbz--" "mmmmbzp-mmmmbzp-" "mmmmbzp-mmmmbzp-"
	"rrrrrrrrrrrrrrrr" "................" "--EmppppzZbB...." "bbbbbbbbbbbbbbbb"
	"BZ-BmmmmmmmmmmmX" "..........-....." "oooo....bz......" "bbbbbbbbvvvvvvvv"
	"BBw.VUBZe.w..b-." "mmmm---.mmmmmmmm" "bbbbbbbbjj-b...." "p.pp..gG......mm";

static const char two_bytes[] =
	"mmmm-.....-.-m.B" "mmmmmmmmmmmmmmmm" "kkkk----mmmmmmmm" "......-.8-A-----"
	"mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "BBBBmmm.sm--mmmm"
	"jjjjjjjjjjjjjjjj" "mmmmmmmmmmmmmmmm" "...mBmmm...mBmmm" "mmmmmmmmmmBmmmmm"
	"mmBmBBBm........" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm";

struct insn {
	const uint8_t *code;
	size_t size, at;       /* at: what is decoded so far; beyond size when something is missing */
	bool data16, addr32, wide, repne;
};

static uint8_t next_byte(struct insn *i)
{
	uint8_t byte = i->at < i->size ? i->code[i->at] : 0;

	i->at++;
	return byte;
}

/* The ModRM byte with SIB and displacement; returns it. */
static uint8_t take_modrm(struct insn *i)
{
	uint8_t modrm = next_byte(i), mod = modrm >> 6, base = modrm & 7;

	if (mod == 3)
		return modrm;
	if (base == 4)
		base = next_byte(i) & 7;
	if (mod == 1)
		i->at += 1;
	else if (mod == 2 || base == 5) /* 5 without a displacement of its own: an address of 32 bits */
		i->at += 4;
	return modrm;
}

/* Maps of VEX and EVEX: what follows depends on the map and on few opcodes. */
static bool take_vector(struct insn *i, unsigned map, bool is_vex)
{
	uint8_t opcode = next_byte(i);
	bool imm8 = map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
					      (opcode >= 0xc4 && opcode <= 0xc6)));

	if (map < 1 || map > 7 || map == 4)
		return false;
	if (map == 1 && opcode == 0x77 && is_vex) /* VZEROUPPER */
		return true;
	take_modrm(i);
	i->at += map == 7 ? 4 : imm8;
	return true;
}

static bool take_vex3(struct insn *i)
{
	unsigned map = next_byte(i) & 0x1f;

	i->at++;
	return take_vector(i, map, true);
}

static bool take_vex2(struct insn *i)
{
	i->at++;
	return take_vector(i, 1, true);
}

static bool take_evex(struct insn *i)
{
	unsigned map = next_byte(i) & 7;

	i->at += 2;
	return take_vector(i, map, false);
}

/* POP with a ModRM byte, or one of AMD's instructions: the byte behind is never a POP's when it names a map from 8 on. */
static bool take_pop_or_xop(struct insn *i)
{
	unsigned map = i->at < i->size ? i->code[i->at] & 0x1f : 0;

	if (map < 8) {
		take_modrm(i);
		return true;
	}
	i->at += 3; /* two bytes of the prefix, the opcode */
	take_modrm(i);
	i->at += map == 8 ? 1 : map == 10 ? 4 : 0;
	return map <= 10;
}

static unsigned operand(const struct insn *i)
{
	return i->data16 && !i->wide ? 2 : 4;
}

static bool take(struct insn *i, char what);

static bool take_opcode(struct insn *i, const char *map)
{
	return take(i, map[next_byte(i)]);
}

static bool take_modrm_and(struct insn *i, unsigned more)
{
	take_modrm(i);
	i->at += more;
	return true;
}

static bool take_immediate(struct insn *i, unsigned bytes)
{
	i->at += bytes;
	return true;
}

/* TEST is /0 and /1 of its group; the others have no immediate. */
static bool take_group3(struct insn *i, unsigned bytes)
{
	uint8_t reg = take_modrm(i) >> 3 & 7;

	return take_immediate(i, reg < 2 ? bytes : 0);
}

static bool take(struct insn *i, char what)
{
	switch (what) {
	case '.': return true;
	case 'm': return take_modrm_and(i, 0);
	case 'B': return take_modrm_and(i, 1);
	case 'Z': return take_modrm_and(i, operand(i));
	case 'k': return take_immediate(i, 1);
	case 's': return take_modrm_and(i, i->data16 || i->repne ? 2 : 0);
	case 'g': return take_group3(i, 1);
	case 'G': return take_group3(i, operand(i));
	case 'b': return take_immediate(i, 1);
	case 'w': return take_immediate(i, 2);
	case 'e': return take_immediate(i, 3);
	case 'j': return take_immediate(i, 4);
	case 'z': return take_immediate(i, operand(i));
	case 'v': return take_immediate(i, i->wide ? 8 : operand(i));
	case 'o': return take_immediate(i, i->addr32 ? 4 : 8);
	case '0': return take_opcode(i, two_bytes);
	case '8': i->at++; return take_modrm_and(i, 0);
	case 'A': i->at++; return take_modrm_and(i, 1);
	case 'V': return take_vex3(i);
	case 'U': return take_vex2(i);
	case 'E': return take_evex(i);
	case 'X': return take_pop_or_xop(i);
	default: return false;
	}
}

/* Legacy prefixes in any order; a REX prefix counts only right before the opcode. */
static void take_prefixes(struct insn *i)
{
	for (; i->at < i->size; i->at++) {
		uint8_t byte = i->code[i->at];

		if (one_byte[byte] != 'p' && one_byte[byte] != 'r')
			return;
		i->wide = one_byte[byte] == 'r' && (byte & 8);
		i->data16 |= byte == 0x66;
		i->addr32 |= byte == 0x67;
		i->repne |= byte == 0xf2;
	}
}

unsigned x86_length(const uint8_t *code, size_t size)
{
	struct insn i = { .code = code, .size = size < LONGEST ? size : LONGEST };

	take_prefixes(&i);
	if (i.at >= i.size || !take_opcode(&i, one_byte) || i.at > i.size)
		return 0;
	return i.at;
}

enum x86_boundary x86_boundary(const uint8_t *code, size_t size, size_t at, size_t *before, size_t *after)
{
	size_t pos = 0;

	while (pos < at) {
		unsigned len = x86_length(code + pos, size - pos);

		if (!len)
			return X86_UNKNOWN;
		*before = pos;
		pos += len;
	}
	*after = pos;
	return pos == at ? X86_BEGINS : X86_INSIDE;
}
