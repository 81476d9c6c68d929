/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The standard input of stap: stdin.char with $char, and stdin.line with $line.  Scripts know them as input.char and
 * input.line, aliases that name the values char and line (tapsets/input.stp).
 */
#include "probe_util.h"
#include "target.h"

#include <string.h>

enum { INPUT_CHAR, INPUT_LINE }; /* struct stp_probe.sub */

static bool input_match(const struct point *p)
{
	return point_has(p, 0, "stdin");
}

static int input_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	static const char *const known[] = { "char", "line", NULL };
	struct probe *probe;

	if (p->ncomps < 2)
		return diag_error(s, p->loc, "unknown-probe-point", "stdin needs .char or .line behind it");
	if (p->ncomps > 2)
		return point_unknown(s, p, 2, NULL);
	if (!point_has(p, 1, "char") && !point_has(p, 1, "line"))
		return point_unknown(s, p, 1, known);
	if (point_no_arg(s, p, 0) || point_no_arg(s, p, 1))
		return -1;
	probe = probe_new(s, &provider_input, p, ATTACH_INPUT);
	probe->sub = point_has(p, 1, "char") ? INPUT_CHAR : INPUT_LINE;
	g_ptr_array_add(out, probe);
	return 0;
}

static struct expr *input_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	const char *name = p->sub == INPUT_CHAR ? "$char" : "$line";
	GPtrArray *names;

	if (strcmp(e->name, name) == 0 && !lvalue)
		return named_value(s, e, "input_text", TY_STRING);
	if (strcmp(e->name, name) == 0) {
		diag_error(s, e->loc, "not-assignable", "%s is what was read: it can not be assigned to", name);
		return NULL;
	}
	names = g_ptr_array_new();
	g_ptr_array_add(names, (char *)name);
	target_unknown(s, e, "a probe on the standard input has no variable", names);
	g_ptr_array_free(names, TRUE);
	return NULL;
}

static void input_vars(struct session *s, struct probe *p, GString *out)
{
	g_string_append(out, p->sub == INPUT_CHAR ? " $char:string" : " $line:string");
}

static const char *const input_patterns[] = { "stdin.char", "stdin.line", NULL };

const struct provider provider_input = {
	.name = "input",
	.match = input_match,
	.derive = input_derive,
	.target = input_target,
	.vars = input_vars,
	.patterns = input_patterns,
};
