/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STAP_BUILD_H
#define STAP_BUILD_H

#include "session.h"

/* --prep: builds what the session's kernel needs ahead of time and says what is missing. 0 or -1 after diag_error. */
int prep_kernel(struct session *s);

#endif
