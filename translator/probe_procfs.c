/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in /proc/systemtap/MODULE: procfs("PATH").read and .write, with .umask(N) and .maxsize(N) on either side of
 * these words.  $value is the text read or written.
 */
#include "define.h"
#include "probe_util.h"
#include "target.h"

#include <string.h>

#define DEFAULT_NAME "command"
#define DEFAULT_UMASK 077
#define PATH_LIMIT 200     /* bytes of a name */
#define SIZE_LIMIT 1048576 /* bytes that a read gives */

enum { PROCFS_READ, PROCFS_WRITE }; /* struct stp_probe.sub */

static bool procfs_match(const struct point *p)
{
	return point_has(p, 0, "procfs");
}

/* Names that make sense below the module's directory. */
static bool path_is_good(const char *path)
{
	char **parts = g_strsplit(path, "/", -1);
	bool good = *path && strlen(path) <= PATH_LIMIT;

	for (char **c = parts; *c; c++)
		good = good && **c && strcmp(*c, ".") && strcmp(*c, "..");
	g_strfreev(parts);
	return good;
}

static int read_number(struct session *s, struct point *p, size_t i, int64_t low, int64_t high, int64_t *ret)
{
	if (point_number(s, p, i, ret))
		return -1;
	if (*ret < low || *ret > high)
		return diag_error(s, p->comps[i].loc, "point-argument", "%s(%" G_GINT64_FORMAT ") is out of range (%"
				  G_GINT64_FORMAT " to %" G_GINT64_FORMAT ")", p->comps[i].name, *ret, low, high);
	return 0;
}

/* The words behind the name: which direction, and what else was said. */
static int read_words(struct session *s, struct point *p, struct probe *probe, bool *directed)
{
	static const char *const known[] = { "read", "write", "umask", "maxsize", NULL };

	for (size_t i = 1; i < p->ncomps; i++) {
		if (point_has(p, i, "umask")) {
			if (read_number(s, p, i, 0, 0777, &probe->arg))
				return -1;
		} else if (point_has(p, i, "maxsize")) {
			if (read_number(s, p, i, 1, SIZE_LIMIT, &probe->arg2))
				return -1;
		} else if ((point_has(p, i, "read") || point_has(p, i, "write")) && !*directed) {
			if (point_no_arg(s, p, i))
				return -1;
			probe->sub = point_has(p, i, "read") ? PROCFS_READ : PROCFS_WRITE;
			*directed = true;
		} else {
			return point_unknown(s, p, i, known);
		}
	}
	return 0;
}

static int procfs_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	const char *path = p->comps[0].arg ? point_string(s, p, 0) : DEFAULT_NAME;
	struct probe *probe;
	bool directed = false;

	if (!path)
		return -1;
	if (!path_is_good(path))
		return diag_error(s, p->comps[0].loc, "point-argument", "'%s' can not be a file of /proc/systemtap/MODULE: "
				  "a name without . and .. as parts, of at most %d bytes, can", path, PATH_LIMIT);
	probe = probe_new(s, &provider_procfs, p, ATTACH_PROCFS);
	probe->target = path;
	probe->arg = DEFAULT_UMASK;
	if (read_words(s, p, probe, &directed))
		return -1;
	if (!directed)
		return diag_error(s, p->loc, "unknown-probe-point", "a procfs probe needs .read or .write behind it");
	if (probe->arg2 && probe->sub == PROCFS_WRITE)
		return diag_error(s, p->loc, "point-argument", "maxsize has a meaning for .read only: a write brings up to "
				  "MAXSTRINGLEN - 1 bytes to each run");
	if (!probe->arg2 && probe->sub == PROCFS_READ && define_find(s, "STP_PROCFS_BUFSIZE", &probe->arg2) < 0)
		return -1;
	g_ptr_array_add(out, probe);
	return 0;
}

/* Whether the file `path` would have to be a directory for `other`. */
static bool is_above(const char *path, const char *other)
{
	size_t len = strlen(path);

	return !strncmp(path, other, len) && other[len] == '/';
}

/* A probe before the nth that p cannot stand beside. */
static const struct probe *procfs_rival(const struct session *s, guint n, const struct probe *p)
{
	for (guint i = 0; i < n; i++) {
		const struct probe *other = s->probes->pdata[i];

		if (other->attach != ATTACH_PROCFS)
			continue;
		if (is_above(other->target, p->target) || is_above(p->target, other->target) ||
		    (other->sub == p->sub && !strcmp(other->target, p->target)))
			return other;
	}
	return NULL;
}

int procfs_check_files(struct session *s)
{
	for (guint i = 0; i < s->probes->len; i++) {
		const struct probe *p = s->probes->pdata[i];
		const struct probe *first = p->attach == ATTACH_PROCFS ? procfs_rival(s, i, p) : NULL;

		if (!first)
			continue;
		if (strcmp(first->target, p->target))
			diag_error(s, p->loc, "procfs-directory", "procfs file '%s' cannot be beside '%s': one of them would be"
				   " a directory", p->target, first->target);
		else
			diag_error(s, p->loc, "duplicate-procfs", "there is a .%s probe of procfs file '%s' already",
				   p->sub == PROCFS_READ ? "read" : "write", p->target);
		diag_note(s, first->loc, "here");
		return -1;
	}
	return 0;
}

/* ---- context variables ---- */

static struct expr *procfs_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	if (strcmp(e->name, "$value")) {
		GPtrArray *names = g_ptr_array_new();

		g_ptr_array_add(names, "$value");
		target_unknown(s, e, "a procfs probe has no variable", names);
		g_ptr_array_free(names, TRUE);
		return NULL;
	}
	if (lvalue && p->sub == PROCFS_WRITE) {
		diag_error(s, e->loc, "not-assignable", "$value is what was written: only .read probes can set it");
		return NULL;
	}
	return named_value(s, e, "procfs_value", TY_STRING);
}

static void procfs_vars(struct session *s, struct probe *p, GString *out)
{
	g_string_append(out, " $value:string");
}

static const char *const procfs_patterns[] = {
	"procfs{,(STRING)}{,.umask(NUMBER)}.{read,read.maxsize(NUMBER),write}", NULL
};

const struct provider provider_procfs = {
	.name = "procfs",
	.match = procfs_match,
	.derive = procfs_derive,
	.target = procfs_target,
	.vars = procfs_vars,
	.patterns = procfs_patterns,
};
