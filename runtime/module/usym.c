/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of addresses of the current process (usym.h). */
#include <linux/kernel.h>
#include "port.h"
#include "str.h"
#include "umap.h"
#include "usym.h"
#include "utab.h"

/* Functions first. */
static const struct stp_utab_list *find(const struct stp_utab *t, u64 at, bool call, struct stp_utab_sym *s)
{
	if (call && stp_utab_find(t, &t->func, at - 1, s))
		return &t->func;
	if (stp_utab_find(t, &t->func, at, s))
		return &t->func;
	return stp_utab_find(t, &t->data, at, s) ? &t->data : NULL;
}

static void put_number(struct stp_ctx *c, struct stp_sink *o, char before, u64 v)
{
	char num[24];
	size_t n = 0;

	if (before)
		num[n++] = before;
	stp_put(c, o, num, n + stp_hex_write(num + n, v));
}

void stp_usym_put_module(struct stp_ctx *c, struct stp_sink *o, const struct stp_umap *m)
{
	bool vdso = m->file->source == STP_SOURCE_VDSO; /* has brackets of its own */

	stp_put(c, o, " [", 2 - vdso);
	stp_put(c, o, m->file->path, m->file->path_len);
	stp_put(c, o, "]", 1 - vdso);
}

void stp_usym_put(struct stp_ctx *c, struct stp_sink *o, u64 addr, u32 how)
{
	const struct stp_umap *m = stp_umap_find(addr);
	const struct stp_utab_list *l = NULL;
	const struct stp_utab *t;
	struct stp_utab_sym s;
	char *name = c->scratch;
	u64 at;

	t = m ? stp_umap_table(m, addr, &at) : NULL;
	if (t && c->scratch_end - name >= STP_UTAB_NAME)
		l = find(t, at, how & STP_USYM_CALL, &s);
	if (m)
		stp_ufile_grown(m->file);
	if (!l) {
		put_number(c, o, 0, addr);
		if (m && how & STP_USYM_MODULE)
			stp_usym_put_module(c, o, m);
		return;
	}
	stp_put(c, o, name, stp_utab_name(t, l, &s, name, STP_UTAB_NAME));
	if (how & (STP_USYM_OFFSET | STP_USYM_BRIEF))
		put_number(c, o, '+', at - s.addr);
	if (how & STP_USYM_OFFSET)
		put_number(c, o, '/', s.size);
	if (how & STP_USYM_MODULE)
		stp_usym_put_module(c, o, m);
}

struct stp_str stp_usym_text(struct stp_ctx *c, u64 addr, u32 how)
{
	size_t max = stp_maxlen();
	char *p = stp_tmp(c, max);
	struct stp_sink o = { .p = p, .end = p ? p + max : NULL, .string = true };

	if (!p)
		return STP_STR("");
	stp_usym_put(c, &o, addr, how);
	c->scratch = p + ALIGN(o.p - p, 8);
	return (struct stp_str){ p, o.p - p };
}
