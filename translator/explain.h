/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -vv: what pass 2 chose, and why. */
#ifndef STAP_EXPLAIN_H
#define STAP_EXPLAIN_H

#include "session.h"

/* To standard error, after pass 2: how each probe is attached and what its place rests on, the locks that its handler takes, and where
 * the types of globals come from. */
void explain_choices(const struct session *s);

#endif
