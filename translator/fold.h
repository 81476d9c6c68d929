/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constant folding on the bare tree: literals only, so that it can run before names are resolved. */
#ifndef STAP_FOLD_H
#define STAP_FOLD_H

#include "session.h"

/*
 * Folds operations on literals and cuts branches that a constant condition makes dead.  A division by
 * zero is left for run time.  The nodes are replaced in place.
 */
void fold_stmt(struct session *s, struct stmt **st);
void fold_expr(struct session *s, struct expr **e);

#endif
