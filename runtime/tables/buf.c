// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes that grow, and memory that is there or ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tables.h"

static void no_memory(void)
{
	fputs("stap-tables: out of memory\n", stderr);
	exit(1);
}

void *mem_zero(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		no_memory();
	return p;
}

void *mem_resize(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size);
	if (!p)
		no_memory();
	return p;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
	if (b->n + n > b->room) {
		b->room = (b->n + n) * 2 + 256;
		b->p = mem_resize(b->p, b->room, 1);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

void buf_byte(struct buf *b, unsigned v)
{
	unsigned char c = (unsigned char)v;

	buf_put(b, &c, 1);
}

void buf_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_byte(b, (unsigned)(v & 0x7f) | 0x80);
	buf_byte(b, (unsigned)v);
}

void buf_align(struct buf *b, size_t to)
{
	while (b->n % to)
		buf_byte(b, 0);
}

void buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}
