/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtime's units as objects: compiled when a script first needs them, and kept. */
#ifndef STAP_RUNTIME_UNITS_H
#define STAP_RUNTIME_UNITS_H

#include "runtime_build.h"

/*
 * What `objects` (paths, a script's compiled units) have to be linked with: paths of the runtime's objects that they need,
 * directly or through others, as a linker would take them from an archive; those that are not there yet are compiled (says so
 * on stderr when it takes more than a second).  Where all units are compiled, the one path of the archive.  The array owns the
 * paths and is the caller's; NULL with *err.
 */
GPtrArray *runtime_units_for(struct runtime *rt, GPtrArray *objects, char **err);

/* Compiles all units that are not there yet and makes rt->archive.  0, or -1 with *err. */
int runtime_units_complete(struct runtime *rt, char **err);

#endif
