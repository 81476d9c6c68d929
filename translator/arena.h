/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What session.c and owners of foreign memory need beyond the arena functions of session.h. */
#ifndef STAP_ARENA_H
#define STAP_ARENA_H

struct session;
struct arena;

struct arena *arena_new(void);
/* Runs the deferred functions, last first, then frees every chunk; NULL is allowed. */
void arena_free(struct arena *a);
/* fn(ptr) runs when the session ends: for GLib containers that arena objects hold. */
void arena_defer(struct session *s, void (*fn)(void *), void *ptr);

#endif
