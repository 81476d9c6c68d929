/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exit(), by itself: nearly every script has it, and often nothing else. */
#include "fn.h"
#include "session.h"

void stp_fn_exit(struct stp_ctx *c)
{
	stp_session_end(false);
}
