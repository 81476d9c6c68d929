/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What session.c and owners of foreign memory need beyond the arena functions of session.h. */
#ifndef STAP_ARENA_H
#define STAP_ARENA_H

struct session;
struct arena;

struct arena *arena_new(void);
/* Bytes that the session's arena takes. */
size_t arena_size(const struct session *s);
/* Runs the deferred functions, last first, then frees every chunk; NULL is allowed. */
void arena_free(struct arena *a);
/* fn(ptr) runs when the session ends: for GLib containers that arena objects hold. */
void arena_defer(struct session *s, void (*fn)(void *), void *ptr);

#endif
