/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -l and -L: the probe points that match a pattern, with -L their variables. */
#ifndef STAP_LIST_H
#define STAP_LIST_H

#include "session.h"

/* Prints the points, sorted and each once.  Returns 0, or -1 when there is none (without a word, as
 * callers use that as a test) or the pattern is no probe point (with an error). */
int list_points(struct session *s);

#endif
