/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stap --prep`: builds ahead of time what a kernel needs. */
#include "prep.h"
#include "cache.h"
#include "errmsg.h"
#include "kernel.h"
#include "kernel_kit.h"
#include "runtime_build.h"
#include "runtime_units.h"
#include "session.h"
#include "subprocess.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_index.h"

#include <string.h>
#include <unistd.h>

static void say(FILE *out, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(FILE *out, const char *what, const char *fmt, ...)
{
	va_list ap;

	fprintf(out, "%-10s ", what);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
}

/* Where types come from. Without any, only probes that need none can be built. */
static void prep_types(struct kernel_target *k, FILE *out)
{
	const char *source = k->btf_file ? k->btf_file : k->vmlinux ? k->vmlinux :
			     k->boot_image ? k->boot_image : k->vmlinux_debug;

	if (source)
		say(out, "types", "from %s", source);
	else
		say(out, "types", "none: neither BTF nor an image of this kernel is here; "
		    "install its image package (Debian: linux-image-%s, Fedora: "
		    "kernel-core-%s)", k->release, k->release);
}

/* The index of the kernel's debug information is built here, so that no script waits for it. */
static void prep_debuginfo(struct session *s, FILE *out)
{
	struct dwarf_index *ix;
	struct dwarf_index_info info;
	struct dwarf_file *f;
	char *err = NULL;

	f = dwarf_kernel(s, &err);
	if (f && f->debug_path && (ix = session_dwarf_index(s, f, &err)) && !f->problem) {
		dwarf_index_info(ix, &info);
		say(out, "debuginfo", "%s", f->debug_path);
		if (info.built)
			say(out, "index", "built in %.1f s: %u functions in %u units", info.seconds, info.funcs, info.cus);
		else
			say(out, "index", "already there: %u functions in %u units", info.funcs, info.cus);
	} else {
		say(out, "debuginfo", "none; needed only for statements, inline functions and local variables");
		say(out, "", "%s", err ? err : f && f->problem ? f->problem : "");
	}
	g_free(err);
}

static void prep_loading(struct kernel_target *k, FILE *out)
{
	if (!k->is_running)
		return;
	if (access("/proc/modules", R_OK) != 0)
		say(out, "loading", "this kernel loads no modules: run scripts with --vm");
	else if (geteuid() != 0)
		say(out, "loading", "needs root (or run scripts with --vm)");
	else
		say(out, "loading", "modules can be loaded here");
}

static int prep_runtime(struct kernel_target *k, struct cache *c,
			const char *runtime_dir, FILE *out, char **err)
{
	struct kernel_kit *kit = NULL;
	struct runtime *rt = NULL;
	int rc = kernel_kit_open(k, c, &kit, err);
	gint64 start = g_get_monotonic_time();
	bool was_there;

	if (rc == 0) {
		say(out, "compiler", "%s", kit->compiler);
		rc = runtime_open(k, kit, c, runtime_dir, false, &rt, err);
	}
	was_there = rc == 0 && rt->archive;
	if (rc == 0)
		rc = runtime_units_complete(rt, err);
	if (rc == 0 && was_there)
		say(out, "runtime", "already there: %s", rt->archive);
	else if (rc == 0)
		say(out, "runtime", "built in %.1f s: %s", (g_get_monotonic_time() - start) / 1e6, rt->archive);
	runtime_close(rt);
	kernel_kit_close(kit);
	return rc;
}

int prep_kernel(struct session *s, const char *runtime_dir, FILE *out, char **err)
{
	struct kernel_target *k = s->kernel;
	int rc;

	say(out, "kernel", "%s (%s)%s", k->release, k->arch,
	    k->is_running ? ", running" : "");
	if (k->build_dir)
		say(out, "headers", "%s", k->build_dir);
	else
		say(out, "headers", "none: %s", k->headers_problem);
	prep_types(k, out);
	prep_debuginfo(s, out);
	prep_loading(k, out);
	if (s->cache->warning)
		say(out, "cache", "%s; nothing will be kept", s->cache->warning);
	rc = kernel_need_headers(k, err);
	if (rc == 0)
		rc = prep_runtime(k, s->cache, runtime_dir, out, err);
	fflush(out);
	return rc;
}
