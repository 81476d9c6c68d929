/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions about the current process's mappings. */
#include <linux/kernel.h>
#include "fn_user.h"
#include "umap.h"
#include "umap_all.h"
#include "umap_text.h"

STP_NEEDS_ALL_MAPS;

#define LINES_MAX 1000 /* of print_umaps(): interrupts are off */

const u8 stp_umap_functions = 1;

s64 stp_fn_umap_start(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);

	return m ? m->start : 0;
}

s64 stp_fn_umap_end(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);

	return m ? m->end : 0;
}

s64 stp_fn_umap_offset(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);

	return m && !(m->flags & STP_UMAP_NOFILE) ? m->off : 0;
}

struct stp_str stp_fn_umap_perms(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);

	return m ? stp_umap_perms(c, m->flags) : STP_STR("");
}

struct stp_str stp_fn_umap_path(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);

	return m ? stp_umap_path(c, m) : STP_STR("");
}

s64 stp_fn_umap_next(struct stp_ctx *c, s64 addr)
{
	const struct stp_umaps *maps = stp_umaps_current();
	const struct stp_umap *m = NULL;
	struct stp_umaps_iter it;

	if (maps)
		m = stp_umaps_seek(&it, maps, addr);
	if (m && m->start <= (u64)addr)
		m = stp_umaps_next(&it);
	return m ? m->start : 0;
}

void stp_fn_print_umaps(struct stp_ctx *c)
{
	const struct stp_umaps *maps = stp_umaps_current();
	const struct stp_umap *m;
	struct stp_umaps_iter it;
	char more[64];
	u32 n = 0;

	if (!maps)
		return;
	for (m = stp_umaps_seek(&it, maps, 0); m && n < LINES_MAX && !c->err; m = stp_umaps_next(&it), n++)
		stp_umap_put_line(c, stp_out(c), m);
	if (m && !c->err)
		stp_put(c, stp_out(c), more, scnprintf(more, sizeof(more), "... %u more\n", maps->n - n));
}
