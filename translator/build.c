/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 4: asks the kernel kit, the runtime and the linker for a module; also the session's directories. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "layout.h"
#include "embed.h"
#include "link.h"
#include "paths.h"
#include "session.h"

static const struct loc nowhere;

struct cache *session_cache(struct session *s)
{
	char *err = NULL;

	if (s->cache)
		return s->cache;
	if (s->opt.no_cache ? cache_open_private(&s->cache, &err) : cache_open(&s->cache, &err)) {
		diag_error(s, nowhere, "cache", "%s", err);
		g_free(err);
		return NULL;
	}
	if (s->opt.poison_cache)
		cache_renew(s->cache);
	if (s->cache->warning)
		diag_warning(s, nowhere, "cache", "%s", s->cache->warning);
	return s->cache;
}

const char *session_tmpdir(struct session *s)
{
	char *template;

	if (s->tmpdir)
		return s->tmpdir;
	template = arena_printf(s, "%s/stapXXXXXX", g_get_tmp_dir());
	if (!mkdtemp(template)) {
		diag_error(s, nowhere, "tmpdir", "cannot make a temporary directory in %s: %s (TMPDIR names another place)",
			   g_get_tmp_dir(), g_strerror(errno));
		return NULL;
	}
	return s->tmpdir = template;
}

/* What a module is made from besides the script. */
struct ground {
	struct kernel_kit *kit;
	struct runtime *runtime;
};

static void ground_close(struct ground *g)
{
	runtime_close(g->runtime);
	kernel_kit_close(g->kit);
}

static int ground_open(struct session *s, struct ground *g)
{
	struct cache *cache = session_cache(s);
	char *err = NULL;

	*g = (struct ground){ 0 };
	if (!cache)
		return -1;
	if (kernel_need_headers(s->kernel, &err) || kernel_kit_open(s->kernel, cache, &g->kit, &err) ||
	    runtime_open(s->kernel, g->kit, cache, stap_runtime_dir(), false, &g->runtime, &err)) {
		diag_error(s, nowhere, "build", "%s", err);
		g_free(err);
		ground_close(g);
		return -1;
	}
	if (layout_check(s, g->runtime)) {
		ground_close(g);
		return -1;
	}
	return 0;
}

/* What users' embedded C is compiled with: -D and the macros it expects. */
static const char *const *embedded_flags(struct session *s)
{
	GPtrArray *flags = g_ptr_array_new();

	/* what is wrong is shown by diag.c, with the script's text */
	g_ptr_array_add(flags, "-fno-diagnostics-show-caret");
	g_ptr_array_add(flags, "-fdiagnostics-color=never");
	g_ptr_array_add(flags, "-ftabstop=1"); /* columns are bytes */
	g_ptr_array_add(flags, "-Wno-error"); /* kernels built with -Werror pass that on */
	for (guint i = 0; i < s->opt.defines->len; i++)
		g_ptr_array_add(flags, arena_printf(s, "-D%s", (char *)s->opt.defines->pdata[i]));
	g_ptr_array_add(flags, NULL);
	return (const char *const *)arena_take(s, flags, NULL);
}

static void tell(struct session *s, const struct link_result *r)
{
	s->module_path = arena_strdup(s, r->path);
	if (*r->messages)
		fputs(r->messages, stderr);
	if (s->opt.verbose[4] && r->from_cache)
		fprintf(stderr, "Pass 4: using cached %s\n", r->path);
	else if (s->opt.verbose[4] >= 2)
		fprintf(stderr, "Pass 4: compiler %.0f ms, link %.0f ms, objtool %.0f ms, module information %.0f ms, final link %.0f ms\n",
			r->cc * 1e3, r->ld * 1e3, r->objtool * 1e3, r->modinfo * 1e3, r->final * 1e3);
}

/* -p4 without a cache: the module goes to the current directory. */
static int leave_here(struct session *s)
{
	char *name = g_path_get_basename(s->module_path), *err = NULL;
	int rc = cache_copy_file(s->module_path, name, &err);

	if (rc) {
		diag_error(s, nowhere, "link", "%s", err);
		g_free(err);
	} else {
		s->module_path = arena_strdup(s, name);
	}
	g_free(name);
	return rc;
}

int pass4_build(struct session *s)
{
	struct link_unit units[2] = { { s->c_file, false }, { s->embed_c_file, true } };
	struct link_request req = {
		.units = units, .unit_count = s->embed_c_file ? 2 : 1, .module_name = s->opt.module_name,
		.no_cache = s->opt.relink, .unoptimized = s->opt.unoptimized,
		.embedded_flags = embedded_flags(s), .keep_dir = s->opt.keep_tmp ? s->tmpdir : NULL,
	};
	struct link_result result = { 0 };
	struct ground g;
	char *err = NULL;
	int rc;

	if (session_cache(s) && s->cache->warning && s->opt.last_pass == 4 && !s->opt.module_name)
		return diag_error(s, nowhere, "no-cache", "there is no cache directory to keep the module in: -m NAME leaves it in"
				  " the current one");
	if (s->opt.module_name)
		req.output = arena_printf(s, "%s.ko", s->opt.module_name);
	if (ground_open(s, &g))
		return -1;
	rc = link_module(s->kernel, g.kit, g.runtime, s->cache, stap_runtime_dir(), &req, &result, &err);
	if (rc && g_str_has_prefix(err, LINK_EMBEDDED_ERROR)) {
		embed_report(s, err + strlen(LINK_EMBEDDED_ERROR));
		g_free(err);
	} else if (rc) {
		diag_error(s, nowhere, "link", "%s", err);
		g_free(err);
	} else {
		tell(s, &result);
		if (s->opt.no_cache && s->opt.last_pass == 4 && !s->opt.module_name)
			rc = leave_here(s);
	}
	link_result_deinit(&result);
	ground_close(&g);
	return rc;
}
