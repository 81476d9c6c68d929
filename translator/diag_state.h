/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between session.c and diag.c: the life of the diagnostics state. */
#ifndef STAP_DIAG_STATE_H
#define STAP_DIAG_STATE_H

struct diag_state;

struct diag_state *diag_state_new(void);
void diag_state_free(struct diag_state *d); /* NULL is allowed */

#endif
