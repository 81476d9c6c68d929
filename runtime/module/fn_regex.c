/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matched() and ngroups(): what the handler's last match by =~ found. */
#include "port.h"
#include "fn.h"

static bool has_match(struct stp_ctx *c, const char *why)
{
	if (c->match && c->match->ngroups)
		return true;
	stp_fail(c, why);
	return false;
}

/* Number of groups in the pattern, those that took no part counted. */
s64 stp_fn_ngroups(struct stp_ctx *c)
{
	return has_match(c, "ngroups: the last =~ found no match") ? c->match->ngroups - 1 : 0;
}

struct stp_str stp_fn_matched(struct stp_ctx *c, s64 n)
{
	const struct stp_match *m = c->match;

	if (!has_match(c, "matched: the last =~ found no match"))
		return STP_STR("");
	if (n < 0 || n >= m->ngroups) {
		stp_fail(c, "matched: the regular expression has no such group");
		return STP_STR("");
	}
	if (m->pos[2 * n] < 0)
		return STP_STR("");
	return stp_str_dup(c, (struct stp_str){ m->text + m->pos[2 * n], m->pos[2 * n + 1] - m->pos[2 * n] });
}
