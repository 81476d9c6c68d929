/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -D settings: limits and sizes go into the configuration record; define.c has the names. */
#include "define.h"
#include "gen.h"

#include <string.h>

#define MOST_ROWS (1u << 20)

enum { SCRATCH_MIN = 8 << 10, SCRATCH_MAX = 256 << 10 };

static int64_t define(struct gen *g, const char *name, int64_t otherwise)
{
	int64_t v = otherwise;

	g->failed |= define_find(g->s, name, &v) < 0;
	return v;
}

/* The word of STP_VMA_STRATEGY. */
static enum vma_strategy vma_strategy(struct gen *g)
{
	static const char *const words[] = { [VMA_BY_ANY] = "any", [VMA_BY_PROBE] = "probe", [VMA_BY_SYSCALL] = "syscall" };
	const char *text = define_text(g->s, "STP_VMA_STRATEGY");

	for (size_t i = 0; text && i < G_N_ELEMENTS(words); i++)
		if (!strcmp(text, words[i]))
			return i;
	if (text) {
		diag_error(g->s, (struct loc){ NULL, 0, 0, 0 }, "bad-define", "-D STP_VMA_STRATEGY: '%s' is none of any, probe, syscall", text);
		g->failed = true;
	}
	return VMA_BY_ANY;
}

int gen_config_read(struct gen *g)
{
	int64_t len = define(g, "MAXSTRINGLEN", 512), elision = 0;
	bool unlimited = g->s->opt.suppress_time_limits;

	g->maxstr = (unsigned)len;
	g->maxaction = unlimited ? 0 : define(g, "MAXACTION", 1000);
	g->maxaction_interruptible = unlimited ? 0 : define(g, "MAXACTION_INTERRUPTIBLE", MAX(g->maxaction * 10, 0));
	g->maxnesting = (unsigned)define(g, "MAXNESTING", 10);
	g->maxbacktrace = (unsigned)CLAMP(define(g, "MAXBACKTRACE", 20), 1, 1024);
	g->maxmapentries = define(g, "MAXMAPENTRIES", 0);
	if (define_find(g->s, "HIST_ELISION", &elision) > 0) /* negative: nothing is left out */
		g->elision = elision < 0 || elision > MOST_ROWS ? MOST_ROWS : (unsigned)elision + 1;
	g->vma_strategy = vma_strategy(g);
	return g->failed ? -1 : 0;
}

/* What the deepest handler can need, within bounds that grow with MAXSTRINGLEN. */
static size_t scratch_size(struct gen *g)
{
	size_t most = MAX((size_t)SCRATCH_MAX, 64u * (size_t)g->maxstr), need = g->need + 2 * (size_t)g->maxstr;

	return (CLAMP(need, SCRATCH_MIN, most) + 63) & ~(size_t)63;
}

/* The handlers' share of the time that is too much; thresholds are given in cycles of an interval. */
static int64_t overload_permille(struct gen *g, int64_t interval)
{
	if (g->s->opt.suppress_time_limits || define(g, "STP_NO_OVERLOAD", 0))
		return 0;
	return define(g, "STP_OVERLOAD_THRESHOLD", interval / 1000 * 900) / MAX(interval / 1000, 1);
}

static void put_field(GString *out, const char *name, int64_t v)
{
	g_string_append_printf(out, "\t.%s = %lld,\n", name, (long long)v);
}

void gen_config(struct gen *g, GString *out)
{
	const struct options *o = &g->s->opt;
	int64_t interval = define(g, "STP_OVERLOAD_INTERVAL", 1000000000);

	g_string_append(out, "static const struct stp_config config = {\n");
	put_field(out, "maxstringlen", g->maxstr);
	put_field(out, "maxnesting", g->maxnesting);
	put_field(out, "maxaction", g->maxaction);
	put_field(out, "maxaction_interruptible", g->maxaction_interruptible);
	put_field(out, "maxerrors", define(g, "MAXERRORS", o->suppress_handler_errors ? -1 : 0));
	put_field(out, "maxskipped", define(g, "MAXSKIPPED", o->suppress_handler_errors ? -1 : 100));
	put_field(out, "maxmapentries", g->maxmapentries);
	put_field(out, "maxmemory", define(g, "STP_MAXMEMORY", 0) * 1024); /* given in kB */
	put_field(out, "maxtrylock", define(g, "MAXTRYLOCK", 1000));
	put_field(out, "trylockdelay", define(g, "TRYLOCKDELAY", 10));
	put_field(out, "overload_threshold", overload_permille(g, interval));
	put_field(out, "overload_interval_ms", MAX(interval / 1000000, 1));
	put_field(out, "maxactive", define(g, "KRETACTIVE", 0));
	put_field(out, "maxbacktrace", g->maxbacktrace);
	put_field(out, "scratch_size", (int64_t)scratch_size(g));
	put_field(out, "buffer_bytes", (int64_t)o->buffer_mb << 20);
	put_field(out, "tables_wait_ms", define(g, "STP_TABLES_WAIT", 10000));
	put_field(out, "vma_strategy", g->vma_strategy);
	put_field(out, "suppress_errors", o->suppress_handler_errors);
	put_field(out, "suppress_time_limits", o->suppress_time_limits);
	g_string_append(out, "};\n\n");
}
