/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session's arena: memory for everything that lives as long as the session.  Chunks come zeroed
 * from calloc and are handed out front to back; nothing is given back before the end.
 */
#include "session.h"
#include "arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE (256u << 10)
#define ALIGNMENT 16

struct chunk {
	struct chunk *next;
	size_t used, size;     /* bytes of data[] */
	_Alignas(ALIGNMENT) char data[];
};

struct cleanup {
	struct cleanup *next;
	void (*fn)(void *);
	void *ptr;
};

struct arena {
	struct chunk *head;    /* the one being filled */
	struct cleanup *cleanups;
	size_t total;          /* bytes of all chunks */
};

static struct chunk *chunk_new(size_t size)
{
	struct chunk *c = calloc(1, sizeof(*c) + size);

	if (!c) {
		fputs("stap: out of memory\n", stderr);
		abort();
	}
	c->size = size;
	return c;
}

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a) {
		fputs("stap: out of memory\n", stderr);
		abort();
	}
	a->head = chunk_new(CHUNK_SIZE);
	a->total = CHUNK_SIZE;
	return a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct cleanup *c = a->cleanups; c; c = c->next)
		c->fn(c->ptr);
	for (struct chunk *c = a->head, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

/* A request that would waste most of a chunk gets one of its own, behind the one being filled. */
static void *alloc_large(struct arena *a, size_t size)
{
	struct chunk *c = chunk_new(size);

	c->used = size;
	a->total += size;
	c->next = a->head->next;
	a->head->next = c;
	return c->data;
}

size_t arena_size(const struct session *s)
{
	return s->arena->total;
}

void *arena_alloc(struct session *s, size_t size)
{
	struct arena *a = s->arena;
	struct chunk *c = a->head;
	void *ret;

	if (size > CHUNK_SIZE / 4)
		return alloc_large(a, size);
	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (c->size - c->used < size) {
		c = chunk_new(CHUNK_SIZE);
		a->total += CHUNK_SIZE;
		c->next = a->head;
		a->head = c;
	}
	ret = c->data + c->used;
	c->used += size;
	return ret;
}

char *arena_strndup(struct session *s, const char *str, size_t len)
{
	char *ret = arena_alloc(s, len + 1);

	memcpy(ret, str, len);
	return ret;
}

char *arena_strdup(struct session *s, const char *str)
{
	return arena_strndup(s, str, strlen(str));
}

char *arena_printf(struct session *s, const char *fmt, ...)
{
	va_list ap;
	char *tmp, *ret;

	va_start(ap, fmt);
	tmp = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	ret = arena_strdup(s, tmp);
	g_free(tmp);
	return ret;
}

void **arena_take(struct session *s, GPtrArray *a, size_t *n)
{
	void **ret = NULL;
	size_t len = a ? a->len : 0;

	if (len) {
		ret = arena_alloc(s, len * sizeof(*ret));
		memcpy(ret, a->pdata, len * sizeof(*ret));
	}
	if (a)
		g_ptr_array_free(a, TRUE);
	if (n)
		*n = len;
	return ret;
}

void arena_defer(struct session *s, void (*fn)(void *), void *ptr)
{
	struct cleanup *c = arena_alloc(s, sizeof(*c));

	c->fn = fn;
	c->ptr = ptr;
	c->next = s->arena->cleanups;
	s->arena->cleanups = c;
}
