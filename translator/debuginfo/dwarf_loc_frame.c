/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frame bases, and the canonical frame address (CFA) from call frame information at the probe's address (dwarf_loc.h). */
#include "dwarf_loc.h"

#include <dwarf.h>
#include <stdlib.h>

static struct expr *cfa_from(struct loc_env *env, Dwarf_CFI *cfi)
{
	struct loc_ops ops = { 0 };
	struct expr *ret = NULL;
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, env->pc, &frame) != 0)
		return NULL;
	if (dwarf_frame_cfa(frame, &ops.op, &ops.n) == 0 && ops.n)
		ret = loc_run_value(env, &ops);
	else
		loc_fail(env, "its frame's address is undefined here");
	free(frame);
	return ret;
}

struct expr *loc_cfa(struct loc_env *env)
{
	struct expr *ret;

	env->why = NULL;
	ret = cfa_from(env, env->debug_frame);
	if (!ret)
		ret = cfa_from(env, env->eh_frame);
	if (!ret && !env->why)
		loc_fail(env, "its frame cannot be found: there is no call frame information for this address");
	return ret;
}

struct expr *loc_frame_base(struct loc_env *env)
{
	Dwarf_Attribute attr;
	struct loc_ops ops = { .attr = &attr };
	int n;

	if (!env->func.addr || !loc_attr(&env->func, DW_AT_frame_base, &attr)) {
		loc_fail(env, "its function has no frame base");
		return NULL;
	}
	n = dwarf_getlocation_addr(&attr, env->pc, &ops.op, &ops.n, 1);
	if (n <= 0 || ops.n == 0) {
		loc_fail(env, "its function has no frame base at this address");
		return NULL;
	}
	return loc_run_value(env, &ops);
}
