/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes of the session itself: begin, end and error, ordered by their number, and never. */
#include "probe_util.h"

static bool begin_match(const struct point *p)
{
	return p->ncomps && (point_has(p, 0, "begin") || point_has(p, 0, "end") ||
			     point_has(p, 0, "error") || point_has(p, 0, "never"));
}

static int begin_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	enum attach_kind attach = point_has(p, 0, "begin") ? ATTACH_BEGIN : point_has(p, 0, "end") ? ATTACH_END :
				  point_has(p, 0, "error") ? ATTACH_ERROR : ATTACH_NEVER;
	struct probe *probe;
	int64_t order = 0;

	if (p->ncomps > 1)
		return point_unknown(s, p, 1, NULL);
	if (attach == ATTACH_NEVER) {
		if (point_no_arg(s, p, 0))
			return -1;
	} else if (p->comps[0].arg && point_number(s, p, 0, &order)) {
		return -1;
	}
	probe = probe_new(s, &provider_begin, p, attach);
	probe->arg = order;
	g_ptr_array_add(out, probe);
	return 0;
}

static const char *const begin_patterns[] = { "begin", "begin(NUMBER)", "end", "end(NUMBER)", "error",
	"error(NUMBER)", "never", NULL };

const struct provider provider_begin = {
	.name = "begin",
	.match = begin_match,
	.derive = begin_derive,
	.patterns = begin_patterns,
};
