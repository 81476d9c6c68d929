/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stap --prep`: builds ahead of time what a kernel needs. */
#include "prep.h"
#include "cache.h"
#include "errmsg.h"
#include "kernel_kit.h"
#include "runtime_build.h"
#include "subprocess.h"

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
	if (k->vmlinux_debug)
		say(out, "debuginfo", "%s", k->vmlinux_debug);
	else
		say(out, "debuginfo", "none; needed only for statements, inline functions "
		    "and local variables (Debian: linux-image-%s-dbg, Fedora: "
		    "kernel-debuginfo-%s)", k->release, k->release);
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

	if (rc == 0) {
		say(out, "compiler", "%s", kit->compiler);
		rc = runtime_open(k, kit, c, runtime_dir, false, &rt, err);
	}
	if (rc == 0 && rt->built)
		say(out, "runtime", "built in %.1f s: %s", rt->seconds, rt->archive);
	else if (rc == 0)
		say(out, "runtime", "already there: %s", rt->archive);
	runtime_close(rt);
	kernel_kit_close(kit);
	return rc;
}

int prep_kernel(struct kernel_target *k, struct cache *c, const char *runtime_dir,
		FILE *out, char **err)
{
	int rc;

	say(out, "kernel", "%s (%s)%s", k->release, k->arch,
	    k->is_running ? ", running" : "");
	say(out, "headers", "%s", k->build_dir ? k->build_dir : "none");
	prep_types(k, out);
	prep_loading(k, out);
	if (c->warning)
		say(out, "cache", "%s; nothing will be kept", c->warning);
	rc = kernel_need_headers(k, err);
	if (rc == 0)
		rc = prep_runtime(k, c, runtime_dir, out, err);
	fflush(out);
	return rc;
}
