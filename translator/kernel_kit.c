/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a kernel builds its modules: keeps what kit_make.c learns. */
#include "kernel_kit.h"
#include "errmsg.h"
#include "kit_make.h"
#include "modinfo_elf.h"
#include "subprocess.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <glib/gstdio.h>

#define KIT_FORMAT "kit 2"

const char *const *kernel_kit_env(const struct kernel_target *k)
{
	static char arch[64], srcarch[64];
	static const char *env[] = { arch, srcarch, "LC_ALL=C", NULL };

	g_snprintf(arch, sizeof(arch), "ARCH=%s", k->srcarch);
	g_snprintf(srcarch, sizeof(srcarch), "SRCARCH=%s", k->srcarch);
	return env;
}

/* Path, size and time of the compiler, which change with its package. NULL when
 * it is not installed. */
static char *compiler_identity(const char *name)
{
	char *path = subprocess_find(name), *ret = NULL;
	struct stat st;

	if (path && stat(path, &st) == 0)
		ret = g_strdup_printf("%s %lld %lld", path, (long long)st.st_size,
				      (long long)st.st_mtime);
	g_free(path);
	return ret;
}

static char **vector(GKeyFile *kf, const char *name)
{
	return g_key_file_get_string_list(kf, "kit", name, NULL, NULL);
}

/* Reads a kit's directory; NULL when anything is missing or damaged, or the
 * compiler is another one than then: it is made anew. */
static struct kernel_kit *kit_load(const char *dir)
{
	struct kernel_kit *kit = g_new0(struct kernel_kit, 1);
	GKeyFile *kf = g_key_file_new();
	char *file = g_build_filename(dir, "kit", NULL), *compiler = NULL;
	bool ok = g_key_file_load_from_file(kf, file, 0, NULL);

	kit->dir = g_strdup(dir);
	if (ok) {
		kit->work_dir = g_key_file_get_string(kf, "kit", "work_dir", NULL);
		kit->compiler = g_key_file_get_string(kf, "kit", "compiler", NULL);
		kit->cc_kernel = vector(kf, "cc_kernel");
		kit->cc_script = vector(kf, "cc_script");
		kit->objtool = vector(kf, "objtool");
		kit->ld_partial = vector(kf, "ld_partial");
		kit->ld_final = vector(kf, "ld_final");
		kit->template = g_build_filename(dir, "template.o", NULL);
		kit->module_common = g_build_filename(dir, "module-common.o", NULL);
		if (access(kit->module_common, R_OK) != 0) {
			g_free(kit->module_common);
			kit->module_common = NULL;
		}
	}
	ok = ok && kit->work_dir && kit->compiler && kit->cc_kernel && kit->cc_script &&
	     kit->ld_partial && kit->ld_final && access(kit->template, R_OK) == 0;
	if (ok) {
		compiler = compiler_identity(kit->cc_kernel[0]);
		ok = compiler && strcmp(compiler, kit->compiler) == 0;
		kit->vermagic = modinfo_read_value(kit->template, "vermagic");
		if (!kit->vermagic && kit->module_common)
			kit->vermagic = modinfo_read_value(kit->module_common, "vermagic");
		kit->this_module_size = modinfo_this_module_size(kit->template);
		ok = ok && kit->vermagic && kit->this_module_size; /* else the file is damaged */
	}
	g_free(compiler);
	g_free(file);
	g_key_file_free(kf);
	if (ok)
		return kit;
	kernel_kit_close(kit);
	return NULL;
}

static void save_vector(GKeyFile *kf, const char *name, char **v)
{
	if (v)
		g_key_file_set_string_list(kf, "kit", name, (const char *const *)v,
					   g_strv_length(v));
}

/* Writes what kit_make() learnt into the scratch directory to be published. */
static int kit_save(const struct kernel_kit *kit, const char *dir, char **err)
{
	GKeyFile *kf = g_key_file_new();
	char *file = g_build_filename(dir, "kit", NULL);
	GError *gerr = NULL;
	int rc = 0;

	g_key_file_set_string(kf, "kit", "work_dir", kit->work_dir);
	g_key_file_set_string(kf, "kit", "compiler", kit->compiler);
	save_vector(kf, "cc_kernel", kit->cc_kernel);
	save_vector(kf, "cc_script", kit->cc_script);
	save_vector(kf, "objtool", kit->objtool);
	save_vector(kf, "ld_partial", kit->ld_partial);
	save_vector(kf, "ld_final", kit->ld_final);
	if (!g_key_file_save_to_file(kf, file, &gerr)) {
		rc = errmsg_is_disk_full(NULL, dir) ? errmsg_disk_full(err, dir) :
		     errmsg_set(err, "%s", gerr->message);
		g_error_free(gerr);
	}
	g_free(file);
	g_key_file_free(kf);
	return rc;
}

/* Under the lock: makes the kit in a scratch directory and publishes it. */
static int kit_build(struct kernel_target *k, struct cache *c, const char *name,
		     char **err)
{
	struct kernel_kit made = { 0 };
	char *scratch = NULL, *entry = NULL, *final = NULL, *stale;
	int rc;

	if (cache_scratch(c, &scratch, err) != 0)
		return -1;
	entry = g_build_filename(scratch, "kit", NULL);
	g_mkdir(entry, 0755);
	/* The entry's final path is known, so a shim tree can live inside it. */
	final = cache_path(c, name);
	rc = kit_make(k, scratch, entry, final, &made, err);
	if (rc == 0) {
		made.compiler = compiler_identity(made.cc_kernel[0]);
		if (!made.compiler)
			rc = errmsg_set(err, "the compiler %s is not installed",
					made.cc_kernel[0]);
	}
	if (rc == 0)
		rc = kit_save(&made, entry, err);
	if (rc == 0) {
		stale = cache_path(c, name);
		cache_remove_tree(stale);
		g_free(stale);
		g_free(final);
		rc = cache_publish(c, entry, name, true, &final, err);
	}
	kit_made_clear(&made);
	cache_remove_tree(scratch);
	g_free(scratch);
	g_free(entry);
	g_free(final);
	return rc;
}

static struct kernel_kit *kit_find(struct cache *c, const char *name)
{
	char *file = g_build_filename(name, "kit", NULL);
	char *path = cache_find(c, file), *dir;
	struct kernel_kit *kit = NULL;

	if (path) {
		dir = g_path_get_dirname(path);
		kit = kit_load(dir);
		g_free(dir);
	}
	g_free(path);
	g_free(file);
	return kit;
}

int kernel_kit_open(struct kernel_target *k, struct cache *c,
		    struct kernel_kit **ret, char **err)
{
	char *identity, *digest, *name, *key, *text;
	int lock, rc = 0;

	*ret = NULL;
	if (kernel_need_headers(k, err) != 0)
		return -1;
	identity = kernel_headers_identity(k);
	text = g_strconcat(KIT_FORMAT "\n", identity, NULL);
	digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	name = g_strdup_printf("kits/%s-%.16s", k->release, digest);
	*ret = kit_find(c, name);
	if (!*ret) {
		lock = cache_lock(c, "kit", "the build settings", err);
		rc = lock < 0 ? -1 : 0;
		if (rc == 0)
			*ret = kit_find(c, name);
		if (rc == 0 && !*ret) {
			rc = kit_build(k, c, name, err);
			if (rc == 0 && !(*ret = kit_find(c, name)))
				rc = errmsg_set(err, "cannot read back %s/%s",
						c->root, name);
		}
		cache_unlock(lock);
	}
	if (*ret) {
		key = g_strconcat(text, "\n", (*ret)->compiler, NULL);
		(*ret)->key = g_compute_checksum_for_string(G_CHECKSUM_SHA256, key, -1);
		g_free(key);
	}
	g_free(name);
	g_free(digest);
	g_free(text);
	g_free(identity);
	return rc;
}

void kernel_kit_close(struct kernel_kit *kit)
{
	if (!kit)
		return;
	kit_made_clear(kit);
	g_free(kit);
}
