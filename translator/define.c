/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -D settings: which names there are, and their values (define.h). */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "define.h"
#include "diag.h"

/* why: NULL for a setting that works, else why it changes nothing.  A number is between min and max; both 0: a word. */
static const struct setting {
	const char *name, *why;
	int64_t min, max;
} settings[] = {
	{ "MAXSTRINGLEN", NULL, 16, 64 << 10 },
	{ "MAXNESTING", NULL, 1, INT32_MAX },
	{ "MAXACTION", NULL, 0, INT64_MAX },
	{ "MAXACTION_INTERRUPTIBLE", NULL, 0, INT64_MAX },
	{ "MAXERRORS", NULL, -1, INT32_MAX },
	{ "MAXSKIPPED", NULL, -1, INT32_MAX },
	{ "MAXMAPENTRIES", NULL, 0, INT32_MAX },
	{ "MAXTRYLOCK", NULL, 0, INT32_MAX },
	{ "TRYLOCKDELAY", NULL, 0, 1000000 },
	{ "MAXBACKTRACE", NULL, 1, INT32_MAX },
	{ "KRETACTIVE", NULL, 0, INT32_MAX },
	{ "STP_MAXMEMORY", NULL, 0, INT32_MAX },
	{ "STP_OVERLOAD_INTERVAL", NULL, 1, INT64_MAX },
	{ "STP_OVERLOAD_THRESHOLD", NULL, 1, INT64_MAX },
	{ "STP_NO_OVERLOAD", NULL, 0, 0 },
	{ "STP_VMA_STRATEGY", NULL, 0, 0 },
	{ "STP_TABLES_WAIT", NULL, 0, INT32_MAX },
	{ "STAP_SUPPRESS_HANDLER_ERRORS", NULL, 0, 0 },
	{ "STAP_SUPPRESS_TIME_LIMITS_ENABLE", NULL, 0, 0 },
	{ "STP_NO_BUILDID_CHECK", NULL, 0, 0 },
	{ "STP_PROCFS_BUFSIZE", NULL, 1, 1 << 20 },
	{ "HIST_ELISION", NULL, INT32_MIN, INT32_MAX },
	{ "INTERRUPTIBLE", "interrupts are off in every handler", 0, 0 },
	{ "MAPHASHBIAS", "the tables of arrays grow by themselves", 0, 0 },
	{ "MINSTACKSPACE", "how much stack handlers use is bounded when they are translated", 0, 0 },
	{ "MAXUPROBES", "there are as many places for user probes as the script needs", 0, 0 },
	{ "MAXTRACE", "it was a limit of old tracing functions", 0, 0 },
	{ "STP_BUFFER_SIZE", "a handler may print as much as fits into its processor's buffer (-s)", 0, 0 },
	{ "STP_RELAY_TIMER_INTERVAL", "output is read through a mapped ring", 0, 0 },
	{ "STP_ON_THE_FLY_INTERVAL", "probes with a condition are armed and disarmed at once", 0, 0 },
	{ "STP_ON_THE_FLY_TIMER_ENABLE", "probes with a condition are armed and disarmed at once", 0, 0 },
	{ "STP_ALIBI", "use -t to see how often probes are hit", 0, 0 },
	{ "STP_TIMING", "use -t", 0, 0 },
};

/* ---- values: numbers, + - * / % << >> | and parentheses ---- */

struct reader {
	const char *p;
	bool bad;
};

static int64_t read_sum(struct reader *r, int level);

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->p))
		r->p++;
}

static int64_t read_one(struct reader *r)
{
	char *end;
	int64_t v;

	skip_blanks(r);
	if (*r->p == '-' || *r->p == '+') {
		bool minus = *r->p++ == '-';

		v = read_one(r);
		return minus ? (int64_t)(0 - (uint64_t)v) : v;
	}
	if (*r->p == '(') {
		r->p++;
		v = read_sum(r, 0);
		skip_blanks(r);
		r->bad |= *r->p != ')';
		r->p += *r->p == ')';
		return v;
	}
	errno = 0;
	v = (int64_t)strtoull(r->p, &end, 0);
	r->bad |= end == r->p || errno || !isdigit((unsigned char)*r->p);
	r->p = end + strspn(end, "uUlL");
	return v;
}

/* The level of an operator, from the weakest; -1: none follows. */
static int operator_level(struct reader *r, char *op)
{
	static const char *const levels[] = { "|", "<>", "+-", "*/%" };

	skip_blanks(r);
	*op = *r->p;
	for (int i = 0; *op && i < (int)G_N_ELEMENTS(levels); i++)
		if (strchr(levels[i], *op))
			return i == 1 && r->p[1] != *op ? -1 : i;
	return -1;
}

static int64_t apply(struct reader *r, char op, uint64_t a, uint64_t b)
{
	switch (op) {
	case '|': return (int64_t)(a | b);
	case '<': return (int64_t)(a << (b & 63));
	case '>': return (int64_t)a >> (b & 63);
	case '+': return (int64_t)(a + b);
	case '-': return (int64_t)(a - b);
	case '*': return (int64_t)(a * b);
	}
	r->bad |= !b || (int64_t)b == -1;
	return r->bad ? 0 : op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b;
}

static int64_t read_sum(struct reader *r, int level)
{
	int64_t v = level == 4 ? read_one(r) : read_sum(r, level + 1);
	char op;

	while (level < 4 && !r->bad && operator_level(r, &op) == level) {
		r->p += level == 1 ? 2 : 1;
		v = apply(r, op, (uint64_t)v, (uint64_t)read_sum(r, level + 1));
	}
	return v;
}

static bool read_value(const char *text, int64_t *ret)
{
	struct reader r = { text, strlen(text) > 200 };

	if (r.bad)
		return false;
	*ret = read_sum(&r, 0);
	skip_blanks(&r);
	return !r.bad && !*r.p;
}

/* ---- names ---- */

/* The setting's value as text, NULL when `d` is another's. */
static const char *value_of(const char *d, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(d, name, n) || (d[n] && d[n] != '='))
		return NULL;
	return d[n] ? d + n + 1 : "1";
}

static int bad_define(struct session *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
static int bad_define(struct session *s, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	diag_error(s, (struct loc){ NULL, 0, 0, 0 }, "bad-define", "-D %s", text);
	g_free(text);
	return -1;
}

int define_find(struct session *s, const char *name, int64_t *ret)
{
	const char *text = define_text(s, name);

	if (!text)
		return 0;
	return read_value(text, ret) ? 1 : bad_define(s, "%s: '%s' is not a number", name, text);
}

/* A setting's value is a number in its range. */
static int check_setting(struct session *s, const struct setting *k)
{
	int64_t v;
	int found = k->min || k->max ? define_find(s, k->name, &v) : 0;

	if (found <= 0 || (v >= k->min && v <= k->max))
		return found < 0 ? -1 : 0;
	if (k->max >= INT32_MAX)
		return bad_define(s, "%s: %" PRId64 " is too %s: it begins at %" PRId64, k->name, v, v < k->min ? "small" : "large", k->min);
	return bad_define(s, "%s: %" PRId64 " is not between %" PRId64 " and %" PRId64, k->name, v, k->min, k->max);
}

int define_check(struct session *s)
{
	int rc = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
		rc |= check_setting(s, &settings[i]);
	return rc;
}

const char *define_text(struct session *s, const char *name)
{
	const GPtrArray *defs = s->opt.defines;
	const char *text = NULL;

	for (unsigned i = defs ? defs->len : 0; i-- > 0 && !text;)
		text = value_of(g_ptr_array_index(defs, i), name);
	return text;
}

static bool is_given(const struct options *o, const char *name)
{
	for (unsigned i = o->defines ? o->defines->len : 0; i-- > 0;) {
		const char *text = value_of(g_ptr_array_index(o->defines, i), name);

		if (text)
			return strcmp(text, "0") != 0;
	}
	return false;
}

bool define_is_given(const struct session *s, const char *name)
{
	return is_given(&s->opt, name);
}

void define_apply_options(struct options *o)
{
	o->suppress_handler_errors |= is_given(o, "STAP_SUPPRESS_HANDLER_ERRORS");
	o->suppress_time_limits |= is_given(o, "STAP_SUPPRESS_TIME_LIMITS_ENABLE");
}

static void explain(const char *d)
{
	GPtrArray *names;
	char *name = g_strndup(d, strcspn(d, "="));
	const char *near;

	for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
		if (!strcmp(settings[i].name, name)) {
			if (settings[i].why)
				fprintf(stderr, "-D %s changes nothing: %s\n", name, settings[i].why);
			g_free(name);
			return;
		}
	names = g_ptr_array_new();
	for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
		g_ptr_array_add(names, (char *)settings[i].name);
	near = diag_nearest(name, names);
	fprintf(stderr, "-D %s is a macro for embedded C%s%s%s\n", name, near ? "; did you mean " : "", near ? near : "",
		near ? "?" : "");
	g_ptr_array_free(names, TRUE);
	g_free(name);
}

void define_explain(const struct session *s)
{
	const GPtrArray *defs = s->opt.defines;

	for (unsigned i = 0; s->opt.verbose[0] && i < defs->len; i++)
		explain(g_ptr_array_index(defs, i));
}
