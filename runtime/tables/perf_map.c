// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list that a just-in-time compiler writes of its code, a line a function: START SIZE NAME, numbers in hexadecimal (the format
 * that perf reads as /tmp/perf-PID.map).  Anybody may have written it: what is no such line is passed over.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tables.h"

#define MAX_BYTES (64u << 20)      /* of a longer list, the end: it is the newest */
#define MAX_SIZE (64u << 20)       /* of a function */
#define WINDOW UINT32_MAX          /* of addresses in a table */

struct entry {
	uint64_t addr;
	uint32_t size, order;      /* order: place in the list; code that comes later takes the place of what was there */
	const char *name;
};

struct list {
	struct entry *e;
	size_t n, room;
};

static char *read_end(int fd, size_t *size)
{
	struct stat st;
	off_t from;
	char *text;
	size_t n = 0;
	ssize_t r;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	from = st.st_size > MAX_BYTES ? st.st_size - MAX_BYTES : 0;
	*size = (size_t)(st.st_size - from);
	text = mem_zero(*size + 1, 1);
	while (n < *size && (r = pread(fd, text + n, *size - n, from + (off_t)n)) > 0)
		n += (size_t)r;
	*size = n;
	return text;
}

/* Hexadecimal digits; false: there are none, or more than fit. */
static bool take_number(char **p, const char *end, uint64_t *ret)
{
	unsigned digits = 0;

	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
		*p += 2;
	for (*ret = 0; *p < end; ++*p, digits++) {
		unsigned c = (unsigned char)**p, low = c | 0x20;

		if (c >= '0' && c <= '9')
			*ret = *ret << 4 | (c - '0');
		else if (low >= 'a' && low <= 'f')
			*ret = *ret << 4 | (low - 'a' + 10);
		else
			break;
	}
	return digits > 0 && digits <= 16 && *p < end && *(*p)++ == ' ';
}

/* One line, from p up to `end`, which is made to end the name. */
static void take_line(struct list *l, char *p, char *end)
{
	struct entry e = { .order = (uint32_t)l->n };
	uint64_t size;
	char *c;

	if (!take_number(&p, end, &e.addr) || !take_number(&p, end, &size) || !size || size > MAX_SIZE || e.addr + size < e.addr)
		return;
	while (p < end && *p == ' ')
		p++;
	if (p == end)
		return;
	if (end - p > STP_UTAB_NAME)
		end = p + STP_UTAB_NAME;
	*end = '\0';
	for (c = p; c < end; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	e.name = p;
	e.size = (uint32_t)size;
	if (l->n == l->room) {
		l->room = l->room * 2 + 1024;
		l->e = mem_resize(l->e, l->room, sizeof(*l->e));
	}
	l->e[l->n++] = e;
}

/* A line that is still being written has no end yet. */
static void take_lines(struct list *l, char *text, size_t size)
{
	char *p = text, *end;

	while ((end = memchr(p, '\n', size - (size_t)(p - text)))) {
		take_line(l, p, end);
		p = end + 1;
	}
}

static int by_addr(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order > y->order ? -1 : x->order < y->order;
}

/* The newest of each address; where two overlap, the newer has the bytes. */
static void drop_old(struct list *l)
{
	size_t i, k = 0;

	if (l->n)
		qsort(l->e, l->n, sizeof(*l->e), by_addr);
	for (i = 0; i < l->n; i++) {
		struct entry e = l->e[i], *last;

		/* older ones in front that reach into it are cut, or gone when nothing is left */
		while (k && l->e[k - 1].addr + l->e[k - 1].size > e.addr) {
			last = &l->e[k - 1];
			if (last->order > e.order)
				break;
			last->size = (uint32_t)(e.addr - last->addr);
			k -= !last->size;
		}
		if (!k || l->e[k - 1].addr + l->e[k - 1].size <= e.addr)
			l->e[k++] = e;
	}
	l->n = k;
}

/* A table has room for 4 GB of addresses: the stretch with most of the functions. */
static void densest(struct list *l, size_t *first, size_t *n)
{
	size_t i, k = 0;

	*first = *n = 0;
	for (i = 0; i < l->n; i++) {
		while (l->e[i].addr + l->e[i].size - l->e[k].addr >= WINDOW)
			k++;
		if (i + 1 - k > *n) {
			*n = i + 1 - k;
			*first = k;
		}
	}
}

struct symbol *perf_map_read(int fd, __u64 *base, size_t *n, const char **err)
{
	struct list l = { 0 };
	struct symbol *s = NULL;
	size_t size, first, i;
	char *text = read_end(fd, &size);

	*n = 0;
	*err = "it cannot be read";
	if (!text)
		return NULL;
	take_lines(&l, text, size);
	drop_old(&l);
	densest(&l, &first, n);
	*err = "it has no symbols";
	if (*n) {
		*base = l.e[first].addr;
		s = mem_zero(*n, sizeof(*s));
		for (i = 0; i < *n; i++) {
			const struct entry *e = &l.e[first + i];

			s[i] = (struct symbol){ .addr = (uint32_t)(e->addr - *base), .size = e->size, .name = strdup(e->name) };
			if (!s[i].name)
				s[i].name = mem_zero(1, 1);
		}
	}
	free(l.e);
	free(text);
	return s;
}
