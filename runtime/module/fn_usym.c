/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Library functions about symbols of user programs. */
#include <linux/kernel.h>
#include "compat/hex.h"
#include "port.h"
#include "fn_user.h"
#include "str.h"
#include "umap.h"
#include "usym.h"
#include "utab.h"
#include "compat/hex.h"

static const char unknown[] = "<unknown>";

struct stp_str stp_fn_usymname(struct stp_ctx *c, s64 addr)
{
	return stp_usym_text(c, addr, 0);
}

struct stp_str stp_fn_umodname(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);

	return m && m->file->name_len ? stp_str_dup(c, (struct stp_str){ m->file->name, min_t(size_t, m->file->name_len, stp_maxlen()) }) : STP_STR(unknown);
}

struct stp_str stp_fn_umodpath(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);

	return m && m->file->path_len ? stp_str_dup(c, (struct stp_str){ m->file->path, min_t(size_t, m->file->path_len, stp_maxlen()) }) : STP_STR(unknown);
}

struct stp_str stp_fn_umodbuildid(struct stp_ctx *c, s64 addr)
{
	const struct stp_umap *m = stp_umap_find(addr);
	u64 at;
	const struct stp_utab *t = m ? stp_umap_table(m, addr, &at) : NULL;
	char *p = t && t->id_len ? stp_tmp(c, 2 * STP_UTAB_BUILD_ID) : NULL;
	u32 i;

	if (!p)
		return STP_STR(unknown);
	for (i = 0; i < t->id_len; i++)
		hex_byte_pack(p + 2 * i, t->id[i]);
	return (struct stp_str){ p, min_t(size_t, 2 * t->id_len, stp_maxlen()) };
}
