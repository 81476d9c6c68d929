/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 4: compile the script's units, link them with the runtime, let objtool
 * see the whole, add the module-info object, and link for the last time. */
#include "link.h"
#include "elf_shrink.h"
#include "errmsg.h"
#include "link_imports.h"
#include "link_script.h"
#include "modinfo_elf.h"
#include "runtime_units.h"
#include "subprocess.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LINK_FORMAT "link 10\n"

/* One module in the making. */
struct linking {
	struct kernel_target *k;
	struct kernel_kit *kit;
	struct runtime *rt;
	const char *runtime_dir;	/* absolute */
	const struct link_request *req;
	struct link_result *ret;
	char *dir;			/* scratch */
	GPtrArray *objects;		/* of the units */
	GPtrArray *runtime;		/* what they are linked with */
	bool has_embedded;		/* users' C among the units */
	char *linked;			/* units and runtime in one object */
	char *module;			/* the result */
};

static char **command(char **base, ...)
{
	GPtrArray *argv = g_ptr_array_new();
	const char *arg;
	va_list ap;

	for (; *base; base++)
		g_ptr_array_add(argv, g_strdup(*base));
	va_start(ap, base);
	while ((arg = va_arg(ap, const char *)))
		g_ptr_array_add(argv, g_strdup(arg));
	va_end(ap);
	g_ptr_array_add(argv, NULL);
	return (char **)g_ptr_array_free(argv, FALSE);
}

/* Bytes of kernel stack a function of generated C may take: the kernel has 16 kB, and probes fire deep in it. */
#define SCRIPT_FRAME 2048
/*
 * Beyond this a unit is compiled with less effort: half the compiler's time. What handlers call is in the runtime, and
 * their own code comes out as large and about as good.
 */
#define SCRIPT_LARGE (96 * 1024)
/* A function whose text is longer than this (some 2,000 lines) gets less still: the time of several passes grows with its square. */
#define FUNCTION_LARGE (64 * 1024)

static size_t longest_function(const char *text)
{
	size_t longest = 0;
	const char *begin, *end;

	/* generated C begins and ends functions, and nothing else, with a brace alone on its line at the margin */
	for (begin = text; (begin = strstr(begin, "\n{\n")) && (end = strstr(begin, "\n}\n")); begin = end)
		longest = MAX(longest, (size_t)(end - begin));
	return longest;
}

static const char *script_level(struct linking *l, const char *source)
{
	const char *level = "-O2";
	char *text;
	gsize n;

	if (l->req->unoptimized)
		return "-O1";
	if (!g_file_get_contents(source, &text, &n, NULL))
		return level; /* the compiler will say why */
	if (n > SCRIPT_LARGE)
		level = longest_function(text) > FUNCTION_LARGE ? "-Og" : "-O1";
	g_free(text);
	return level;
}

static char **script_command(struct linking *l, const char *source, const char *object)
{
	char *abi = g_strdup_printf("-I%s/abi", l->runtime_dir);
	/* Names and positions in the object must not depend on where it was made. */
	char **argv = command(l->kit->cc_script, "-std=gnu11", "-nostdinc",
			      "-Werror=frame-larger-than=" G_STRINGIFY(SCRIPT_FRAME), "-fno-ident",
			      /* generated C sets what it reads and indexes nothing on the stack; long sums that are put in
			       * another order keep all their parts on the stack */
			      "-ftrivial-auto-var-init=uninitialized", "-fno-stack-protector", "-fno-tree-reassoc", script_level(l, source), abi,
			      "-c", "-o", object, source, NULL);

	g_free(abi);
	return argv;
}

static char **embedded_command(struct linking *l, const char *source, const char *object)
{
	GPtrArray *argv = runtime_unit_command(l->kit, l->runtime_dir, NULL,
					       l->rt->features);
	const char *const *f = l->req->embedded_flags;
	const char *tail[] = { "-c", "-o", object, source };

	for (; f && *f; f++)
		g_ptr_array_add(argv, g_strdup(*f));
	for (size_t i = 0; i < G_N_ELEMENTS(tail); i++)
		g_ptr_array_add(argv, g_strdup(tail[i]));
	g_ptr_array_add(argv, NULL);
	return (char **)g_ptr_array_free(argv, FALSE);
}

/* Why a program failed, when the reason is not its input. 1: it is its input. */
static int tool_failed(struct linking *l, const struct subprocess *job, char **err)
{
	if (subprocess_interrupted())
		return errmsg_set(err, "interrupted");
	if (job->not_found)
		return errmsg_set(err, "%s is not installed: stap needs gcc and binutils "
				  "to build modules", job->argv[0]);
	if (errmsg_is_disk_full(job->err, l->dir))
		return errmsg_disk_full(err, l->dir);
	return 1;
}

static int compile_failed(struct linking *l, struct subprocess *jobs, char **err)
{
	for (size_t i = 0; i < l->req->unit_count; i++) {
		const struct link_unit *u = &l->req->units[i];

		if (jobs[i].status <= 0)
			continue;
		if (tool_failed(l, &jobs[i], err) < 0)
			return -1;
		if (!u->kernel_headers && strstr(jobs[i].err, "frame size of"))
			return errmsg_set(err, "a handler or function of the script needs more of the kernel's stack than a probe"
					  " may take: make functions of parts of it");
		return errmsg_set(err, u->kernel_headers ?
				  LINK_EMBEDDED_ERROR "%s" :
				  "the generated C does not compile (a fault of stap's):\n%s",
				  jobs[i].err);
	}
	return errmsg_set(err, "interrupted");
}

static int compile_units(struct linking *l, char **err)
{
	size_t count = l->req->unit_count;
	struct subprocess *jobs = g_new0(struct subprocess, count);
	GString *messages = g_string_new(NULL);
	gint64 start = g_get_monotonic_time();
	int rc;

	for (size_t i = 0; i < count; i++) {
		const struct link_unit *u = &l->req->units[i];
		char *object = g_strdup_printf("%s/unit%zu.o", l->dir, i);
		char *source = g_canonicalize_filename(u->path, NULL);

		jobs[i] = (struct subprocess){
			.argv = (const char *const *)(u->kernel_headers ?
				embedded_command(l, source, object) :
				script_command(l, source, object)),
			.dir = l->kit->work_dir, .env = kernel_kit_env(l->k),
		};
		l->has_embedded |= u->kernel_headers;
		g_ptr_array_add(l->objects, object);
		g_free(source);
	}
	rc = subprocess_run_many(jobs, count, 0, true, NULL, NULL);
	if (rc != 0)
		compile_failed(l, jobs, err);
	for (size_t i = 0; i < count; i++) {
		if (l->req->units[i].kernel_headers) /* warnings about generated C are no news for users */
			g_string_append(messages, jobs[i].err);
		g_strfreev((char **)jobs[i].argv);
		subprocess_deinit(&jobs[i]);
	}
	g_free(jobs);
	l->ret->messages = g_string_free(messages, FALSE);
	l->ret->cc = (g_get_monotonic_time() - start) / 1e6;
	return rc;
}

/* objtool follows code by recursion, one level a branch: a handler of thousands of lines needs more than the usual 8 MB. */
static int run_with_deep_stack(struct subprocess *job)
{
	enum { DEEP = 1 << 28 };
	struct rlimit usual, deep;
	bool set;
	int rc;

	if (getrlimit(RLIMIT_STACK, &usual) || usual.rlim_cur >= DEEP)
		return subprocess_run(job);
	deep = (struct rlimit){ MIN(usual.rlim_max, DEEP), usual.rlim_max };
	set = !setrlimit(RLIMIT_STACK, &deep);
	rc = subprocess_run(job);
	if (set)
		setrlimit(RLIMIT_STACK, &usual);
	return rc;
}

/* Runs one step and reports its failure. Frees argv. */
static int run_step(struct linking *l, char **argv, const char *what, double *seconds,
		    char **err)
{
	struct subprocess job = {
		.argv = (const char *const *)argv,
		.dir = l->kit->work_dir, .env = kernel_kit_env(l->k),
	};
	int rc = run_with_deep_stack(&job);

	if (rc != 0 && tool_failed(l, &job, err) > 0) {
		if (job.status > 128)
			errmsg_set(err, "%s was ended by signal %d (%s)\n%s%s", what, job.status - 128, g_strsignal(job.status - 128), job.err, job.out);
		else
			errmsg_set(err, "%s failed:\n%s%s", what, job.err, job.out);
	}
	*seconds = job.seconds;
	subprocess_deinit(&job);
	g_strfreev(argv);
	return rc;
}

static int link_objects(struct linking *l, char **err)
{
	GPtrArray *argv = g_ptr_array_new();
	char *script = g_build_filename(l->dir, "link.lds", NULL);
	const char *roots[] = { "-T", script, "-u", "init_module", "-u", "cleanup_module",
				"-S", "-X", "-o", l->linked };

	if (link_script_write(script, err) != 0) {
		g_free(script);
		g_ptr_array_free(argv, TRUE);
		return -1;
	}
	for (char **a = l->kit->ld_partial; *a; a++)
		g_ptr_array_add(argv, g_strdup(*a));
	for (size_t i = 0; i < G_N_ELEMENTS(roots); i++)
		g_ptr_array_add(argv, g_strdup(roots[i]));
	/* Users' C may have tables of which the linker script does not know. */
	if (!l->has_embedded)
		g_ptr_array_add(argv, g_strdup("--gc-sections"));
	for (guint i = 0; i < l->objects->len; i++)
		g_ptr_array_add(argv, g_strdup(l->objects->pdata[i]));
	for (guint i = 0; i < l->runtime->len; i++)
		g_ptr_array_add(argv, g_strdup(l->runtime->pdata[i]));
	g_ptr_array_add(argv, NULL);
	g_free(script);
	return run_step(l, (char **)g_ptr_array_free(argv, FALSE), "linking with the "
			"runtime", &l->ret->ld, err);
}

static int link_final(struct linking *l, const char *modinfo, char **err)
{
	char **argv = command(l->kit->ld_final, "-S", "-X", "-o", l->module, l->linked,
			      modinfo, l->kit->module_common, NULL);

	return run_step(l, argv, "the module's last link", &l->ret->final, err);
}

/* Every step after the name is known. */
static int link_steps(struct linking *l, char **err)
{
	char *modinfo = g_build_filename(l->dir, "modinfo.o", NULL);
	gint64 start;
	int rc = compile_units(l, err);

	if (rc == 0) {
		l->runtime = runtime_units_for(l->rt, l->objects, err);
		rc = l->runtime ? link_objects(l, err) : -1;
	}
	if (rc == 0 && l->kit->objtool)
		rc = run_step(l, command(l->kit->objtool, l->linked, NULL), "objtool",
			      &l->ret->objtool, err);
	start = g_get_monotonic_time();
	if (rc == 0)
		rc = link_write_modinfo(l->k, l->kit, l->linked, l->ret->name, modinfo, err);
	l->ret->modinfo = (g_get_monotonic_time() - start) / 1e6;
	if (rc == 0)
		rc = link_final(l, modinfo, err);
	if (rc == 0)
		rc = elf_shrink(l->module, err);
	g_free(modinfo);
	return rc;
}

/* Everything the module is made of. `*ret_cachable` is false when a unit includes
 * files of the user's, which may change without a trace. */
static int request_key(const struct link_request *req, struct runtime *rt,
		       char **ret_key, bool *ret_cachable, char **err)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	const char *const *f = req->embedded_flags;
	int rc = 0;

	*ret_cachable = !req->no_cache;
	g_checksum_update(sum, (const guchar *)LINK_FORMAT, -1);
	g_checksum_update(sum, (const guchar *)rt->key, -1);
	g_checksum_update(sum, (const guchar *)(req->unoptimized ? "O1" : "O2"), 2);
	for (; f && *f; f++)
		g_checksum_update(sum, (const guchar *)*f, strlen(*f) + 1);
	if (req->module_name)
		g_checksum_update(sum, (const guchar *)req->module_name, -1);
	for (size_t i = 0; i < req->unit_count && rc == 0; i++) {
		GError *gerr = NULL;
		char *text = NULL;
		gsize len = 0;

		if (!g_file_get_contents(req->units[i].path, &text, &len, &gerr)) {
			rc = errmsg_set(err, "%s", gerr->message);
			g_error_free(gerr);
			break;
		}
		if (req->units[i].kernel_headers && strstr(text, "#include \""))
			*ret_cachable = false;
		g_checksum_update(sum, (const guchar *)(req->units[i].kernel_headers ?
							"\0k" : "\0s"), 2);
		g_checksum_update(sum, (const guchar *)text, len);
		g_free(text);
	}
	*ret_key = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	return rc;
}

static void keep_objects(struct linking *l)
{
	for (guint i = 0; i < l->objects->len; i++) {
		char *base = g_path_get_basename(l->objects->pdata[i]);
		char *to = g_build_filename(l->req->keep_dir, base, NULL);

		cache_copy_file(l->objects->pdata[i], to, NULL);
		g_free(to);
		g_free(base);
	}
}

/* Not in the cache: make it in a scratch directory and publish it as `entry`. */
static int link_make(struct linking *l, struct cache *c, const char *entry, char **err)
{
	int rc = cache_scratch(c, &l->dir, err);

	if (rc != 0)
		return rc;
	l->objects = g_ptr_array_new_with_free_func(g_free);
	l->linked = g_build_filename(l->dir, "linked.o", NULL);
	l->module = g_build_filename(l->dir, "module.ko", NULL);
	rc = link_steps(l, err);
	if (rc == 0 && l->req->keep_dir)
		keep_objects(l);
	if (rc == 0)
		rc = cache_publish(c, l->module, entry, false, &l->ret->path, err);
	cache_remove_tree(l->dir);
	g_ptr_array_free(l->objects, TRUE);
	if (l->runtime)
		g_ptr_array_free(l->runtime, TRUE);
	g_free(l->linked);
	g_free(l->module);
	g_free(l->dir);
	return rc;
}

/* Puts the module where the request wants it. */
static int link_deliver(const struct link_request *req, struct link_result *ret, char **err)
{
	if (!req->output)
		return 0;
	if (cache_copy_file(ret->path, req->output, err) != 0)
		return -1;
	g_free(ret->path);
	ret->path = g_strdup(req->output);
	return 0;
}

int link_module(struct kernel_target *k, struct kernel_kit *kit, struct runtime *rt,
		struct cache *c, const char *runtime_dir, const struct link_request *req,
		struct link_result *ret, char **err)
{
	struct linking l = { .k = k, .kit = kit, .rt = rt, .req = req, .ret = ret };
	char *key = NULL, *entry, *dir;
	bool cachable;
	int rc;

	memset(ret, 0, sizeof(*ret));
	if (request_key(req, rt, &key, &cachable, err) != 0) {
		g_free(key);
		return -1;
	}
	ret->name = req->module_name ? g_strdup(req->module_name) :
		    g_strdup_printf("stap_%.16s_%0*d", key, LINK_NAME_TAIL_LEN, 0);
	entry = req->module_name ?
		g_strdup_printf("modules/%.16s.%s.ko", key, ret->name) :
		g_strdup_printf("modules/%s.ko", ret->name);
	ret->path = cachable ? cache_find(c, entry) : NULL;
	if (ret->path && !modinfo_is_whole(ret->path)) {
		unlink(ret->path);
		g_free(ret->path);
		ret->path = NULL;
	}
	ret->from_cache = ret->path != NULL;
	rc = 0;
	if (!ret->from_cache) {
		dir = g_canonicalize_filename(runtime_dir, NULL);
		l.runtime_dir = dir;
		rc = link_make(&l, c, entry, err);
		g_free(dir);
		if (rc == 0)
			cache_clean(c, false);
	}
	if (rc == 0)
		rc = link_deliver(req, ret, err);
	if (!ret->messages)
		ret->messages = g_strdup("");
	g_free(entry);
	g_free(key);
	if (rc != 0)
		link_result_deinit(ret);
	return rc;
}

void link_result_deinit(struct link_result *r)
{
	g_free(r->path);
	g_free(r->name);
	g_free(r->messages);
	memset(r, 0, sizeof(*r));
}
