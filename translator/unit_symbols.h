/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which global names a unit of the runtime defines, read from its text: so that what no script needs is not even compiled. */
#ifndef STAP_UNIT_SYMBOLS_H
#define STAP_UNIT_SYMBOLS_H

#include <stdbool.h>
#include <glib.h>

struct unit_symbols {
	GHashTable *names;    /* a set; owns them */
	GPtrArray *prefixes;  /* what macros and included files define begins so; a comment says it: "defines: stp_user_xmm"; owned */
};

/*
 * Reads the C source `text`.  It is a good guess, not a compiler's knowledge: macros are not expanded, so names may be missing,
 * and some may be there that are not defined.  Whoever uses it looks into the object afterwards.
 */
struct unit_symbols *unit_symbols_read(const char *text);
void unit_symbols_free(struct unit_symbols *us);

/* May the unit define `name`? */
bool unit_symbols_has(const struct unit_symbols *us, const char *name);

#endif
