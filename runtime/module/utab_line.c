// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of user programs: source lines by address. */
#include "utab.h"
#include "utab_priv.h"

const char *stp_utab_line(const struct stp_utab *t, u64 addr, u32 *line)
{
	const u32 *files = stp_utab_at(t, t->file);
	struct stp_utab_walk w;
	u64 len, file, n;

	if (!stp_utab_seek(t, &t->line, addr, &w))
		return NULL;
	for (; w.left; w.left--) {
		if (!stp_utab_varint(&w, &len) || !stp_utab_varint(&w, &file) || !stp_utab_varint(&w, &n))
			return NULL;
		if (w.want - w.addr < len) {
			*line = (u32)n;
			return n && file < t->nfile ? (const char *)t + files[file] : NULL;
		}
		w.addr += (u32)len;
	}
	return NULL;
}
