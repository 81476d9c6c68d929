/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pack is a sequence of NUL-terminated strings: a module, its functions in order, an empty string,
 * the next module ...  It is made by reading each module's BTF once, on all CPUs.
 */
#include "module_pack.h"
#include "btf.h"
#include "cache.h"
#include "image.h"
#include "kernel.h"
#include "subprocess.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct module_pack {
	struct blob blob;
	GHashTable *start;         /* module -> its first function in the blob */
};

/* One module to read. */
struct job {
	const char *name;
	char *path;
	const struct btf_data *base;
	GString *text;
};

static void add_functions(GString *text, const struct btf_data *b)
{
	const char *last = "";

	for (uint32_t i = 0; i < b->index.nfuncs; i++) {
		const struct btf_type *t = btf_type(b, b->index.func[i]);
		const char *name = t ? btf_str(b, t->name_off) : "";

		if (*name && strcmp(name, last) != 0)
			g_string_append_len(text, name, strlen(name) + 1);
		last = name;
	}
}

/* Runs in a worker thread; touches nothing but its job.  A module without BTF has no functions. */
static void read_module(gpointer data, gpointer done)
{
	struct job *j = data;
	struct btf_data *b;
	struct blob blob;

	if (j->path && image_btf(j->path, &blob, NULL, NULL) == 0) {
		b = btf_open(&blob, j->base, NULL);
		if (b && btf_index_build(b, NULL) == 0)
			add_functions(j->text, b);
		btf_close(b);
	}
	g_atomic_int_inc((gint *)done);
}

static void show_progress(gint *done, guint total)
{
	bool tty = isatty(2);

	for (int tick = 0; (guint)g_atomic_int_get(done) < total && !subprocess_interrupted(); tick++) {
		g_usleep(50000);
		if (tty && tick % 10 == 9)
			fprintf(stderr, "\rreading the functions of %u modules: %d ", total, g_atomic_int_get(done));
	}
	if (tty)
		fprintf(stderr, "\r\033[K");
}

static struct blob pack_make(struct types *t)
{
	GPtrArray *names = types_module_names(t, "*");
	const struct btf_data *base = btf_source_data(types_btf(types_module(t, NULL)));
	struct job *jobs = g_new0(struct job, names->len);
	gint done = 0;
	GThreadPool *pool = g_thread_pool_new(read_module, &done, subprocess_cpus(), FALSE, NULL);
	GHashTable *files = types_module_files(t);
	GString *all = g_string_new(NULL);
	struct blob ret;

	for (guint i = 0; i < names->len; i++) {
		jobs[i] = (struct job){ .name = names->pdata[i], .base = base, .text = g_string_new(NULL),
			.path = g_hash_table_lookup(files, names->pdata[i]) };
		g_thread_pool_push(pool, &jobs[i], NULL);
	}
	show_progress(&done, names->len);
	g_thread_pool_free(pool, subprocess_interrupted() != 0, TRUE);
	for (guint i = 0; i < names->len; i++) {
		g_string_append_len(all, jobs[i].name, strlen(jobs[i].name) + 1);
		g_string_append_len(all, jobs[i].text->str, jobs[i].text->len);
		g_string_append_c(all, '\0');
		g_string_free(jobs[i].text, TRUE);
	}
	ret = blob_copy(all->str, all->len);
	g_string_free(all, TRUE);
	g_hash_table_destroy(files);
	g_free(jobs);
	g_ptr_array_free(names, TRUE);
	return ret;
}

/* Finds the modules; false when the file is not a whole pack. */
static bool pack_index(struct module_pack *p)
{
	const char *s = p->blob.data, *end = s + p->blob.size;

	if (p->blob.size < 2 || end[-1] || end[-2])
		return false;
	while (s < end) {
		const char *name = s;

		s += strlen(s) + 1;
		g_hash_table_insert(p->start, (gpointer)name, (gpointer)s);
		while (s < end && *s)
			s += strlen(s) + 1;
		s++;
	}
	return true;
}

/* Names the set of modules: their list's identity and the directory's. */
static char *pack_key(const struct kernel_target *k)
{
	char *path = g_build_filename(k->modules_dir, "modules.order", NULL), *text, *sum, *ret;
	struct stat st;

	memset(&st, 0, sizeof(st));
	if (stat(path, &st) != 0)
		stat(k->modules_dir, &st);
	text = g_strdup_printf("%s %lld %lld.%09ld", path, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			       st.st_mtim.tv_nsec);
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	ret = g_strdup_printf("index/mods-%.24s", sum);
	g_free(sum);
	g_free(text);
	g_free(path);
	return ret;
}

static void pack_save(struct cache *c, const char *key, const struct blob *b)
{
	char *dir = NULL, *path, *published = NULL;

	if (c->ephemeral || cache_scratch(c, &dir, NULL) != 0)
		return;
	path = g_build_filename(dir, "functions", NULL);
	if (blob_write(b, path, NULL) != 0 || cache_publish(c, dir, key, false, &published, NULL) != 0)
		cache_remove_tree(dir);
	g_free(published);
	g_free(path);
	g_free(dir);
}

struct module_pack *module_pack_open(struct types *t)
{
	struct kernel_target *k = t->session->kernel;
	struct cache *c;
	char *key, *name, *path;

	if (t->pack || !types_btf(types_module(t, NULL)) || !k->modules_dir)
		return t->pack;
	c = session_cache(t->session);
	key = pack_key(k);
	name = g_strconcat(key, "/functions", NULL);
	path = c ? cache_find(c, name) : NULL;
	t->pack = g_new0(struct module_pack, 1);
	t->pack->start = g_hash_table_new(g_str_hash, g_str_equal);
	if (!path || blob_open(path, &t->pack->blob, NULL) != 0 || !pack_index(t->pack)) {
		blob_close(&t->pack->blob);
		g_hash_table_remove_all(t->pack->start);
		t->pack->blob = pack_make(t);
		pack_index(t->pack);
		if (c && !subprocess_interrupted())
			pack_save(c, key, &t->pack->blob);
	}
	g_free(path);
	g_free(name);
	g_free(key);
	return t->pack;
}

void module_pack_close(struct module_pack *p)
{
	if (!p)
		return;
	g_hash_table_destroy(p->start);
	blob_close(&p->blob);
	g_free(p);
}

void module_pack_each(struct module_pack *p, const char *module, bool (*match)(void *data, const char *name),
		      cfunc_fn fn, void *data)
{
	const char *s = g_hash_table_lookup(p->start, module);

	for (; s && *s; s += strlen(s) + 1)
		if (match(data, s))
			fn(data, s);
}
