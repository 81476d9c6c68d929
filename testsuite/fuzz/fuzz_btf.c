/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target for BTF: the bytes are a kernel's, or, when they begin with "SPLIT", a module's on top of the sample; every type,
 * member, parameter, function and enumerator of it is asked for, by number and by name, with an index built and one read back.
 */
#include "debuginfo/btf.h"
#include "debuginfo/type_source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool any(void *data, const char *name)
{
	return strlen(name) < 1000;
}

static void count_name(void *data, const char *name)
{
	*(size_t *)data += strlen(name);
}

static void count_value(void *data, const char *name, int64_t value)
{
	*(size_t *)data += strlen(name) + (size_t)value;
}

/* As listings and members are looked at. */
static void ask_type(const struct ctype *t, int depth)
{
	GString *text = g_string_new(NULL);
	GPtrArray *names;
	uint64_t offset;
	uint32_t bits;
	size_t n;

	ctype_print(text, t);
	ctype_size(t);
	ctype_align(t);
	t = ctype_strip(t, NULL);
	if (ctype_is_aggregate(t)) {
		const struct ctype_member *m = ctype_members(t, &n);

		names = g_ptr_array_new();
		ctype_member_names(t, names);
		for (guint i = 0; i < names->len && i < 8; i++)
			ctype_find_member(t, names->pdata[i], &offset, &bits);
		g_ptr_array_free(names, TRUE);
		for (size_t i = 0; i < n && i < 8 && depth < 3; i++)
			ask_type(m[i].type, depth + 1);
	} else if (t->kind == CTYPE_FUNC) {
		const struct ctype_param *p = ctype_params(t, &n);

		for (size_t i = 0; i < n && i < 8 && depth < 3; i++)
			ask_type(p[i].type, depth + 1);
	}
	g_string_free(text, TRUE);
}

static void ask(struct type_source *src, const struct btf_data *b)
{
	static const enum ctype_kind kinds[] = { CTYPE_STRUCT, CTYPE_UNION, CTYPE_ENUM, CTYPE_TYPEDEF, CTYPE_INT, CTYPE_FWD };
	size_t sum = 0;
	int64_t value;

	for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
		GPtrArray *names = g_ptr_array_new();

		src->ops->type_names(src, kinds[k], names);
		for (guint i = 0; i < names->len && i < 50; i++) {
			const struct ctype *t = src->ops->find_type(src, kinds[k], names->pdata[i], NULL);

			if (t)
				ask_type(t, 0);
			if (t && t->kind == CTYPE_ENUM)
				src->ops->each_enumerator(src, t, count_value, &sum);
		}
		g_ptr_array_free(names, TRUE);
	}
	src->ops->each_func(src, any, count_name, &sum);
	for (uint32_t i = 0; i < b->index.nfuncs && i < 50; i++) {
		const struct btf_type *t = btf_type(b, b->index.func[i]);
		struct cfunc f;

		if (t && src->ops->find_func(src, btf_str(b, t->name_off), &f) && f.proto)
			ask_type(f.proto, 0);
	}
	src->ops->find_enumerator(src, "nowhere", &value);
}

static struct type_source *open_btf(const void *data, size_t size, struct type_source *base, char **err)
{
	struct blob blob = blob_copy(data, size);
	struct btf_data *b = btf_open(&blob, base ? btf_source_data(base) : NULL, err);

	if (b && btf_index_build(b, err) == 0)
		return btf_source_new(b, base);
	btf_close(b);
	return NULL;
}

/* The index as a later run maps it. */
static void ask_again(const void *data, size_t size, const struct btf_data *made)
{
	struct blob blob = blob_copy(data, size);
	struct btf_data *b = btf_open(&blob, NULL, NULL);
	char *path = g_strdup_printf("/tmp/fuzz-btf-%d", (int)getpid());

	unlink(path);
	if (btf_index_save(made, path, NULL) == 0 && btf_index_load(b, path) != 0)
		abort();
	unlink(path);
	btf_close(b);
	g_free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct type_source *sample;
	const char *path = getenv("STAP_FUZZ_SAMPLE");
	bool split = size > 5 && memcmp(data, "SPLIT", 5) == 0;
	struct type_source *src;
	char *err = NULL, *text;
	gsize len;

	if (!sample && path && g_file_get_contents(path, &text, &len, NULL)) {
		sample = open_btf(text, len, NULL, NULL);
		g_free(text);
	}
	if (split && !sample)
		return 0;
	src = split ? open_btf(data + 5, size - 5, sample, &err) : open_btf(data, size, NULL, &err);
	if (src) {
		ask(src, btf_source_data(src));
		if (!split && size % 64 == 0)
			ask_again(data, size, btf_source_data(src));
		src->ops->close(src);
	} else if (!err) {
		abort(); /* an error has a text */
	}
	g_free(err);
	return 0;
}
