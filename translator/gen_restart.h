/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers that may be run again from their beginning. */
#ifndef STAP_GEN_RESTART_H
#define STAP_GEN_RESTART_H

#include "gen.h"

/*
 * Does the handler read the program's memory, all of it before anything that it does to globals or elsewhere?  (Printed
 * text is looked at when it runs.)
 */
bool gen_is_restartable(struct gen *g, struct probe *p);

/* May memory that is not there end this part of a try statement, in some handler that begins anew then? */
bool gen_may_miss(struct gen *g, struct stmt *st);

#endif
