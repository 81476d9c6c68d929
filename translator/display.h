/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Globals that a script fills and never looks at are printed when the session ends. */
#ifndef STAP_DISPLAY_H
#define STAP_DISPLAY_H

#include "resolve.h"

/* The script's globals that are written and never read (struct var; empty when display is off).
 * Needs count_uses(). */
GPtrArray *display_globals(struct resolver *r);
/* Makes the end probe that prints them, typed and resolved, as one more unit.  Needs infer_all(). */
void display_add_probe(struct resolver *r, const GPtrArray *globals);

#endif
