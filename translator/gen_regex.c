/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expression operators. */
#include "gen.h"

struct val gen_regex(struct fn *f, struct expr *e)
{
	gen_error(f, e->loc, "regex", "regular expressions (%s) are not there yet", op_text(e->op));
	return val_num(f, 0);
}
