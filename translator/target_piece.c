/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers out of values that lie in registers, constants or several pieces (struct place). */
#include "target.h"

static struct expr *shifted(struct session *s, enum op op, struct expr *e, unsigned n, struct loc loc)
{
	return n ? lowered_binary(s, op, e, lowered_num(s, n, loc), loc) : e;
}

/* Bits [bit, bit + bits) of a word, extended. */
static struct expr *word_bits(struct session *s, struct expr *w, unsigned bit, unsigned bits, bool is_signed, struct loc loc)
{
	if (bits >= 64)
		return w;
	if (bits == 8 || bits == 16 || bits == 32)
		return lowered_conv(s, shifted(s, OP_USHR, w, bit, loc), bits / 8, is_signed, loc);
	w = shifted(s, OP_SHL, w, 64 - bit - bits, loc);
	return shifted(s, is_signed ? OP_SHR : OP_USHR, w, 64 - bits, loc);
}

/* Bits of a piece in memory, by loads of whole bytes. */
static struct expr *memory_bits(struct session *s, const struct place *p, const struct place_piece *piece, uint64_t from,
				unsigned bits, bool is_signed, struct loc loc)
{
	unsigned first = (piece->bit + from) % 8, bytes = (first + bits + 7) / 8, size = bytes > 4 ? 8 : bytes > 2 ? 4 : bytes;
	struct expr *addr = shifted(s, OP_ADD, piece->base, (piece->bit + from) / 8, loc);

	if (bytes > 8)
		return NULL;
	return word_bits(s, lowered_load(s, addr, size, false, p->user, loc), first, bits, is_signed, loc);
}

/* Bits of one piece; NULL after diag_error. */
static struct expr *piece_bits(struct session *s, const struct place *p, const struct place_piece *piece, uint64_t from,
			       unsigned bits, bool is_signed, struct loc loc)
{
	struct expr *ret = NULL;

	if (piece->base)
		ret = memory_bits(s, p, piece, from, bits, is_signed, loc);
	else if (piece->word && piece->bit + from + bits <= 64)
		ret = word_bits(s, piece->word, piece->bit + from, bits, is_signed, loc);
	if (!ret)
		diag_error(s, loc, "no-location", "%s cannot be read: %s", p->what,
			   piece->why ? piece->why : "it is spread over several places");
	return ret;
}

/* Bits that lie in several pieces: each shifted to its place. */
static struct expr *joined_bits(struct session *s, const struct place *p, unsigned bits, bool is_signed, struct loc loc)
{
	uint64_t begin = p->bit, end = begin + bits, at = 0;
	struct expr *sum = NULL, *part;

	for (unsigned i = 0; i < p->npieces && at < end; at += p->piece[i++].bits) {
		uint64_t from = MAX(begin, at), to = MIN(end, at + p->piece[i].bits);

		if (from >= to)
			continue;
		part = piece_bits(s, p, &p->piece[i], from - at, to - from, false, loc);
		if (!part)
			return NULL;
		part = shifted(s, OP_SHL, part, from - begin, loc);
		sum = sum ? lowered_binary(s, OP_OR, sum, part, loc) : part;
	}
	if (at < end || !sum) {
		diag_error(s, loc, "no-location", "%s cannot be read: a part of it is in no place that is known", p->what);
		return NULL;
	}
	return is_signed ? word_bits(s, sum, 0, bits, true, loc) : sum;
}

struct expr *place_bits(struct session *s, const struct place *p, unsigned bits, bool is_signed, struct loc loc)
{
	uint64_t at = 0;

	if (!p->npieces)
		return word_bits(s, p->word[p->bit / 64], p->bit % 64, bits, is_signed, loc);
	for (unsigned i = 0; i < p->npieces; at += p->piece[i++].bits)
		if (p->bit >= at && p->bit + bits <= at + p->piece[i].bits)
			return piece_bits(s, p, &p->piece[i], p->bit - at, bits, is_signed, loc);
	return joined_bits(s, p, bits, is_signed, loc);
}
