/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lock groups.  A handler enters a group shared when all it does with the group's globals commutes with
 * what others do shared (n++, a[k] += x, s <<< x, a plain store) or is one read; in every other case
 * it enters exclusively, for its whole length, so that nobody sees or makes a torn combination.
 * Globals that some handler holds exclusively together make one group.  A global that only shared
 * users have needs no lock.  Handlers of begin, end and error run alone and take none.
 */
#ifndef STAP_LOCK_H
#define STAP_LOCK_H

#include "resolve.h"

/* Sets var.lock, probe.lock_shared, probe.lock_excl and s->nlocks.  Needs count_uses() and types. */
void lock_assign(struct resolver *r);

#endif
