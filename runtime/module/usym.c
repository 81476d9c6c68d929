/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Names of addresses of the current process (usym.h). */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include "port.h"
#include "str.h"
#include "umap.h"
#include "usym.h"
#include "utab.h"

#define NUMBERS 64 /* bytes of all numbers and marks of a line */

/*
 * The last functions that were looked up on this CPU, as for rules of frames (ustack.c): interrupts are off, an NMI does without, and so
 * do tables that may be replaced.
 */
#define CACHED 64
struct cached_symbol {
	const struct stp_utab *t;
	u64 at;
	struct stp_utab_sym sym;
};
static struct cached_symbol __percpu *symbols; /* CACHED of each CPU; not static ones, for which modules have little room */

void stp_usym_cache(bool make)
{
	if (make && !symbols)
		WRITE_ONCE(symbols, __alloc_percpu(CACHED * sizeof(*symbols), __alignof__(*symbols)));
	if (!make)
		free_percpu(symbols);
}

static bool find_function(const struct stp_usym_place *w, u64 at, struct stp_utab_sym *s)
{
	struct cached_symbol __percpu *all = READ_ONCE(symbols);
	struct cached_symbol *c;

	if (!all || in_nmi() || w->m->file->source == STP_SOURCE_PERF_MAP)
		return stp_utab_find(w->t, &w->t->func, at, s);
	c = this_cpu_ptr(all) + (at ^ at >> 6) % CACHED;
	if (c->t != w->t || c->at != at) {
		if (!stp_utab_find(w->t, &w->t->func, at, s))
			return false;
		*c = (struct cached_symbol){ w->t, at, *s };
		return true;
	}
	*s = c->sym;
	return true;
}

/* Functions first. */
static const struct stp_utab_list *find(struct stp_usym_place *w, u64 at, bool call)
{
	const struct stp_utab *t = w->t;

	if ((call && find_function(w, at - 1, &w->sym)) || find_function(w, at, &w->sym))
		return &t->func;
	return stp_utab_find(t, &t->data, at, &w->sym) ? &t->data : NULL;
}

/* What is mapped at an address: that of the last one, when it is in there too. */
static void look(struct stp_usym_place *w, u64 addr)
{
	u64 at = 0;

	if (w->m && addr >= w->m->start && addr < w->m->end)
		return;
	w->m = stp_umap_find(addr);
	w->t = w->m ? stp_umap_table(w->m, addr, &at) : NULL;
	w->delta = at - addr;
}

/* " [/bin/bash]" but for the path itself, when that is long. */
void stp_usym_put_module(struct stp_ctx *c, struct stp_sink *o, const struct stp_umap *m)
{
	bool vdso = m->file->source == STP_SOURCE_VDSO; /* has brackets of its own */

	stp_put(c, o, " [", 2 - vdso);
	stp_put(c, o, m->file->path, m->file->path_len);
	stp_put(c, o, "]", 1 - vdso);
}

/* The text without the module, at p; where it ends. */
static char *write_name(char *p, struct stp_usym_place *w, u64 addr, u32 how)
{
	const struct stp_utab_list *l = w->t ? find(w, addr + w->delta, how & STP_USYM_CALL) : NULL;

	if (w->m)
		stp_ufile_grown(w->m->file);
	if (!l)
		return p + stp_hex_write(p, addr);
	p += stp_utab_name(w->t, l, &w->sym, p, STP_UTAB_NAME);
	if (how & (STP_USYM_OFFSET | STP_USYM_BRIEF)) {
		*p++ = '+';
		p += stp_hex_write(p, addr + w->delta - w->sym.addr);
	}
	if (how & STP_USYM_OFFSET) {
		*p++ = '/';
		p += stp_hex_write(p, w->sym.size);
	}
	return p;
}

void stp_usym_put_at(struct stp_ctx *c, struct stp_sink *o, struct stp_usym_place *w, u64 addr, u32 how)
{
	char *start = c->scratch, *p = start;

	look(w, addr);
	if (unlikely(c->scratch_end - p < STP_UTAB_NAME + NUMBERS)) {
		char num[24];

		stp_put(c, o, num, stp_hex_write(num, addr));
		return;
	}
	if (how & STP_USYM_LINE) {
		*p++ = ' ';
		p += stp_hex_write(p, addr);
		memcpy(p, " : ", 3);
		p += 3;
	}
	p = write_name(p, w, addr, how);
	if (how & STP_USYM_MODULE && w->m && w->m->file->path_len) {
		stp_put(c, o, start, p - start);
		stp_usym_put_module(c, o, w->m);
		p = start;
	}
	if (how & STP_USYM_LINE)
		*p++ = '\n';
	stp_put(c, o, start, p - start);
}

void stp_usym_put(struct stp_ctx *c, struct stp_sink *o, u64 addr, u32 how)
{
	struct stp_usym_place w = { 0 };

	stp_usym_put_at(c, o, &w, addr, how);
}

void stp_usym_put_stack(struct stp_ctx *c, struct stp_sink *o, const u64 *pc, u32 n, u32 how)
{
	struct stp_usym_place w = { 0 };
	u32 i;

	for (i = 0; i < n && !c->err; i++)
		stp_usym_put_at(c, o, &w, pc[i], how | STP_USYM_LINE | (i > 0 ? STP_USYM_CALL : 0));
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
