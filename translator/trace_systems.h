/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which subsystem ("sched", "block") a tracepoint belongs to. */
#ifndef STAP_TRACE_SYSTEMS_H
#define STAP_TRACE_SYSTEMS_H

#include <glib.h>
#include "kernel.h"

/*
 * Fills `systems` (name to system, both g_free()d by the table) for the tracepoints in `names` (a set of
 * char *): from the running kernel's tracefs, or else from the event headers of the target's headers tree.
 * Names that neither knows are left out.
 */
void trace_systems_load(const struct kernel_target *k, GHashTable *names, GHashTable *systems);

#endif
