/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From probes as written to derived probes: aliases are expanded, what is left goes to its provider,
 * and every derived probe gets one handler body made of alias prologues, the user's body and alias
 * epilogues.
 */
#ifndef STAP_DERIVE_H
#define STAP_DERIVE_H

#include "resolve.h"

/* What -l and -L ask of a derived probe besides itself. */
struct derived {
	struct probe *probe; /* NULL in lists: `name` is a kind of point that takes an argument */
	const char *name; /* how lists show it: the alias' name where it comes from one, else the point */
	bool from_alias;
};

/*
 * Derives every point of `d`.  `out` gets struct derived * in the arena.  `each_site`: one probe a
 * site even when the handler has no need of it (lists).  Returns 0, or -1 after diag_error.
 */
int derive_decl(struct resolver *r, struct probe_decl *d, bool each_site, GPtrArray *out);

/* Appends the probes of a file.  Returns 0 or -1. */
int derive_file(struct resolver *r, struct file *f, GPtrArray *probes);

#endif
