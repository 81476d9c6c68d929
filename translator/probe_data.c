/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watchpoints on kernel data: kernel.data(ADDRESS) and kernel.data("SYMBOL"), with .length(N), and .write or .rw behind it.
 * The processor's debug registers do it, of which there are few.
 */
#include "probe_util.h"
#include "user_site.h"

#include <inttypes.h>
#include <string.h>

#define DEBUG_REGISTERS 4 /* x86 */

enum { DATA_WRITE = 2, DATA_RW = 3 }; /* struct stp_probe.sub: HW_BREAKPOINT_W, _RW */

static bool data_match(const struct point *p)
{
	return point_has(p, 0, "kernel") && point_has(p, 1, "data");
}

static int read_length(struct session *s, struct point *p, size_t i, int64_t *ret)
{
	if (point_number(s, p, i, ret))
		return -1;
	if (*ret != 1 && *ret != 2 && *ret != 4 && *ret != 8)
		return diag_error(s, p->comps[i].loc, "point-argument", "a watchpoint is 1, 2, 4 or 8 bytes long, not %" PRId64, *ret);
	return 0;
}

static int read_words(struct session *s, struct point *p, struct probe *probe)
{
	static const char *const known[] = { "write", "rw", "length", NULL };

	for (size_t i = 2; i < p->ncomps; i++) {
		if (point_has(p, i, "length") && !probe->arg) {
			if (read_length(s, p, i, &probe->arg))
				return -1;
		} else if ((point_has(p, i, "write") || point_has(p, i, "rw")) && !probe->sub) {
			if (point_no_arg(s, p, i))
				return -1;
			probe->sub = point_has(p, i, "rw") ? DATA_RW : DATA_WRITE;
		} else {
			return point_unknown(s, p, i, known);
		}
	}
	if (!probe->sub)
		return diag_error(s, p->loc, "unknown-probe-point", "kernel.data needs .write or .rw behind it: the processor can not watch "
				  "reading alone");
	return 0;
}

static int read_place(struct session *s, struct point *p, struct site *site)
{
	const struct point_comp *c = &p->comps[1];

	site->optional = p->optional;
	if (c->arg && c->arg->kind == EX_NUM)
		site->offset = (uint64_t)c->arg->num;
	else if (c->arg && c->arg->kind == EX_STR && *c->arg->str)
		site->symbol = c->arg->str;
	else
		return diag_error(s, c->loc, "point-argument", "'data' needs an address or the name of a variable: data(ADDRESS), "
				  "data(\"SYMBOL\")");
	if (site->symbol && strpbrk(site->symbol, " +*?["))
		return diag_error(s, c->loc, "point-argument", "'%s' is no name of a variable", site->symbol);
	return 0;
}

static int check_alignment(struct session *s, struct point *p, const struct probe *probe)
{
	const struct site *site = &probe->sites[0];

	if (site->symbol || !probe->arg || !(site->offset & (uint64_t)(probe->arg - 1)))
		return 0;
	return diag_error(s, p->comps[1].loc, "point-argument", "%" PRId64 " bytes can be watched only at an address that is a multiple of %"
			  PRId64 ", and 0x%" PRIx64 " is none", probe->arg, probe->arg, site->offset);
}

static int data_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	struct probe *probe = probe_new(s, &provider_data, p, ATTACH_DATA);

	if (point_no_arg(s, p, 0))
		return -1;
	probe->sites = arena_alloc(s, sizeof(*probe->sites));
	probe->nsites = 1;
	if (read_place(s, p, &probe->sites[0]) || read_words(s, p, probe) || check_alignment(s, p, probe))
		return -1;
	if (!probe->sites[0].symbol) /* addresses are read in hex */
		probe->point = arena_printf(s, "kernel.data(0x%" PRIx64 "%s", probe->sites[0].offset, strchr(probe->point, ')'));
	g_ptr_array_add(out, probe);
	return 0;
}

static bool is_watchpoint(const struct probe *p)
{
	if (p->attach == ATTACH_UDATA)
		return !p->user->sites[0].optional;
	return p->attach == ATTACH_DATA && !p->sites[0].optional;
}

int data_check_count(struct session *s)
{
	unsigned n = 0;

	for (guint i = 0; i < s->probes->len; i++) {
		const struct probe *p = s->probes->pdata[i];

		if (!is_watchpoint(p) || ++n <= DEBUG_REGISTERS)
			continue;
		diag_error(s, p->loc, "too-many-watchpoints", "too many watchpoints: the processor has %d debug registers",
			   DEBUG_REGISTERS);
		diag_help(s, "watch fewer places at a time, or put ? behind those that may be left out");
		return -1;
	}
	return 0;
}

static const char *const data_patterns[] = {
	"kernel.data{(NUMBER),(STRING)}{,.length(NUMBER)}.{write,rw}", NULL
};

const struct provider provider_data = {
	.name = "data",
	.match = data_match,
	.derive = data_derive,
	.patterns = data_patterns,
};
