/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* usymdata(): any symbol of a user program, objects too, which the tables then hold. */
#include "port.h"
#include "fn_user.h"
#include "umap.h"
#include "usym.h"

const u8 stp_umap_wants_data = 1;

struct stp_str stp_fn_usymdata(struct stp_ctx *c, s64 addr)
{
	return stp_usym_text(c, addr, STP_USYM_OFFSET | STP_USYM_MODULE);
}
