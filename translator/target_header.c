/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types from headers, for @cast(p, "type", "kernel<linux/fs.h>") and "<sys/types.h>": a file that includes them is compiled
 * with debug information, once, and kept in the cache: under the identity of the kernel's headers, or under the text that the
 * preprocessor makes of user headers.
 */
#include "target_header.h"
#include "cache.h"
#include "kernel.h"
#include "kernel_kit.h"
#include "subprocess.h"
#include "debuginfo/dwarf_file.h"

#include <string.h>
#include <unistd.h>

#define FORMAT "1" /* raised when what is kept changes */

struct header {
	struct session *s;
	struct cache *cache;
	bool kernel;
	char *includes;            /* the text of the file */
	struct kernel_kit *kit;    /* of kernel headers */
	char *dir, *source;        /* scratch */
};

/* "<a.h><b.h>" as lines of C; NULL when it is no list of headers. */
static char *include_lines(const char *list)
{
	GString *g = g_string_new(NULL);

	while (*list == '<') {
		const char *end = strchr(list, '>');

		if (!end || end == list + 1 || memchr(list, '\n', end - list) || memchr(list, '\\', end - list)) {
			g_string_free(g, TRUE);
			return NULL;
		}
		g_string_append_printf(g, "#include %.*s\n", (int)(end - list + 1), list);
		list = end + 1;
	}
	return g_string_free(g, *list != '\0' || g->len == 0);
}

static void add_words(GPtrArray *argv, const char *const *words)
{
	for (; *words; words++)
		g_ptr_array_add(argv, g_strdup(*words));
}

/* Runs the compiler on the file with more options; 0, or -1 with *err.  *out: what it printed. */
static int compile(struct header *h, const char *const *options, char **out, char **err)
{
	static const char *const user[] = { "gcc", "-std=gnu11", "-w", "-D_GNU_SOURCE", NULL };
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
	struct subprocess job;
	int rc;

	add_words(argv, h->kit ? (const char *const *)h->kit->cc_kernel : user);
	add_words(argv, options);
	g_ptr_array_add(argv, g_strdup(h->source));
	g_ptr_array_add(argv, NULL);
	job = (struct subprocess){ .argv = (const char *const *)argv->pdata, .dir = h->kit ? h->kit->work_dir : NULL,
				   .env = h->kit ? kernel_kit_env(h->s->kernel) : NULL };
	rc = subprocess_run(&job);
	if (rc && err) {
		const char *bad = strstr(job.err, "error: ");
		size_t len = strcspn(bad ? bad + 7 : job.err, "\n");

		*err = g_strdup_printf("%.*s", (int)len, bad ? bad + 7 : job.err);
	}
	if (rc == 0 && out)
		*out = g_strdup(job.out);
	subprocess_deinit(&job);
	g_ptr_array_free(argv, TRUE);
	return rc ? -1 : 0;
}

/* Name in the cache; NULL with *err. */
static char *entry_name(struct header *h, char **err)
{
	static const char *const preprocess[] = { "-E", "-P", NULL };
	char *text = NULL, *all, *sum, *ret;

	if (h->kernel)
		text = g_strconcat(h->kit->key, "\n", h->includes, NULL);
	else if (compile(h, preprocess, &text, err))
		return NULL;
	all = g_strconcat(FORMAT, h->kernel ? " kernel\n" : " user\n", h->includes, text, NULL);
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, all, -1);
	ret = g_strdup_printf("headers/%.24s.o", sum);
	g_free(sum);
	g_free(all);
	g_free(text);
	return ret;
}

static int header_start(struct header *h, char **err)
{
	if (h->kernel && (!h->s->kernel || kernel_need_headers(h->s->kernel, err) ||
			  kernel_kit_open(h->s->kernel, h->cache, &h->kit, err)))
		return -1;
	if (cache_scratch(h->cache, &h->dir, err) != 0)
		return -1;
	h->source = g_build_filename(h->dir, "types.c", NULL);
	if (g_file_set_contents(h->source, h->includes, -1, NULL))
		return 0;
	*err = g_strdup_printf("cannot write %s", h->source);
	return -1;
}

/* Path of the compiled file, from the cache or made now. */
static char *header_object(struct header *h, char **err)
{
	char *name = entry_name(h, err), *object, *ret = name ? cache_find(h->cache, name) : NULL;

	if (ret || !name) {
		g_free(name);
		return ret;
	}
	object = g_build_filename(h->dir, "types.o", NULL);
	{
		const char *options[] = { "-g", "-gdwarf-4", "-gno-split-dwarf", "-gz=none", "-fno-eliminate-unused-debug-types", "-O0",
					  "-c", "-o", object, NULL };

		if (h->kernel) /* their inline assembly needs optimisation */
			options[5] = "-O2";
		if (compile(h, options, NULL, err) == 0)
			cache_publish(h->cache, object, name, false, &ret, err);
	}
	g_free(object);
	g_free(name);
	return ret;
}

struct types_module *header_types(struct session *s, const char *list, bool kernel, char **err)
{
	struct header h = { .s = s, .kernel = kernel, .includes = include_lines(list), .cache = session_cache(s) };
	struct types_module *ret = NULL;
	struct dwarf_file *f;
	char *path = NULL;

	if (!h.includes)
		*err = g_strdup_printf("'%s' is no list of headers in <>", list);
	else if (h.cache && header_start(&h, err) == 0)
		path = header_object(&h, err);
	f = path ? dwarf_user(s, path, err) : NULL;
	if (f)
		ret = types_of_file(session_types(s), f);
	/* what has a kernel type is in the kernel's memory */
	for (guint i = 0; ret && kernel && i < ret->sources->len; i++)
		((struct type_source *)ret->sources->pdata[i])->program = NULL;
	if (h.dir)
		cache_remove_tree(h.dir);
	kernel_kit_close(h.kit);
	g_free(path);
	g_free(h.source);
	g_free(h.dir);
	g_free(h.includes);
	return ret;
}
