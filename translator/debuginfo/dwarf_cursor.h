/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the bytes of DWARF sections: numbers of fixed size, and the variable-length ones (DWARF 5, section 7.6).  stap reads
 * debug information with it, stap-tables call frame information.
 */
#ifndef STAP_DWARF_CURSOR_H
#define STAP_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A place in bytes that end; `bad` once something did not fit: what is read then is 0. */
struct dw_cursor {
	const uint8_t *p, *end;
	bool bad;
};

/* The bits of a LEB128 number (DWARF 5, 7.6); *shift: behind them, *last: its last byte, whose bit 6 is a signed one's sign. */
static inline uint64_t dw_leb(struct dw_cursor *c, unsigned *shift, uint8_t *last)
{
	uint64_t v = 0;

	for (*shift = 0; c->p < c->end;) {
		*last = *c->p++;
		if (*shift < 64)
			v |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += 7;
		if (!(*last & 0x80))
			return v;
	}
	*last = 0;
	c->bad = true;
	return 0;
}

static inline uint64_t dw_uleb(struct dw_cursor *c)
{
	unsigned shift;
	uint8_t last;

	return dw_leb(c, &shift, &last);
}

static inline int64_t dw_sleb(struct dw_cursor *c)
{
	unsigned shift;
	uint8_t last;
	uint64_t v = dw_leb(c, &shift, &last);

	if (shift < 64 && (last & 0x40))
		v |= ~0ull << shift;
	return (int64_t)v;
}

/* A number of 1 to 8 bytes in this machine's byte order. */
static inline uint64_t dw_fixed(struct dw_cursor *c, unsigned bytes)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < bytes) {
		c->p = c->end;
		c->bad = true;
		return 0;
	}
	switch (bytes) {
	case 1: v = *c->p; break;
	case 2: { uint16_t x; memcpy(&x, c->p, 2); v = x; break; }
	case 4: { uint32_t x; memcpy(&x, c->p, 4); v = x; break; }
	case 8: memcpy(&v, c->p, 8); break;
	default: /* 3 */
		for (unsigned i = 0; i < bytes; i++)
			v |= (uint64_t)c->p[i] << 8 * i;
	}
	c->p += bytes;
	return v;
}

#endif
