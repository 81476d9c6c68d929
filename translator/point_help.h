/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help under the message that a wildcard in a probe point stands for nothing. */
#ifndef STAP_POINT_HELP_H
#define STAP_POINT_HELP_H

#include "provider.h"

/*
 * Component number i has a wildcard that matches no word: says what is wrong before it (a word without its argument), that there is nothing, or how to list
 * what there is.
 */
void point_help_wildcard(struct session *s, const struct point *p, size_t i);

#endif
