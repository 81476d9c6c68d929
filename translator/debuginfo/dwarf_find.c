/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where separate debug information lies: by build id, by .gnu_debuglink, at the mirrored path, on a server.  A file
 * is taken only when its build id is right, or, where there is none, the debuglink's checksum.
 */
#include "dwarf_file.h"
#include "dwarf_file_priv.h"
#include "errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/lib/debug"

static char *notes_build_id(Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr n;

	while ((at = gelf_getnote(data, at, &n, &name, &desc)) > 0)
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && n.n_descsz >= 2 &&
		    memcmp((char *)data->d_buf + name, "GNU", 4) == 0) {
			GString *hex = g_string_new(NULL);

			for (size_t i = 0; i < n.n_descsz && i < 64; i++)
				g_string_append_printf(hex, "%02x", ((unsigned char *)data->d_buf)[desc + i]);
			return g_string_free(hex, FALSE);
		}
	return NULL;
}

char *dwarf_elf_identity(Elf *elf, bool *has_dwarf)
{
	Elf_Scn *scn = NULL;
	char *id = NULL;
	size_t strndx;

	if (has_dwarf)
		*has_dwarf = false;
	if (elf_getshdrstrndx(elf, &strndx) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		if (sh.sh_type == SHT_NOTE && !id && (data = elf_getdata(scn, NULL)) && data->d_buf)
			id = notes_build_id(data);
		name = elf_strptr(elf, strndx, sh.sh_name);
		if (has_dwarf && name && sh.sh_size &&
		    (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0))
			*has_dwarf = true;
	}
	return id;
}

static Elf_Data *section_data(Elf *elf, const char *want)
{
	Elf_Scn *scn = NULL;
	size_t strndx;

	if (elf_getshdrstrndx(elf, &strndx) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS && (name = elf_strptr(elf, strndx, sh.sh_name)) &&
		    strcmp(name, want) == 0)
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

char *dwarf_elf_debuglink(Elf *elf, uint32_t *crc)
{
	Elf_Data *d = section_data(elf, ".gnu_debuglink");
	size_t len;

	if (!d || !d->d_buf || d->d_size < 8)
		return NULL;
	len = strnlen(d->d_buf, d->d_size);
	if (len == 0 || (len + 4) / 4 * 4 + 4 > d->d_size)
		return NULL;
	memcpy(crc, (char *)d->d_buf + (len + 4) / 4 * 4, 4);
	return g_strndup(d->d_buf, len);
}

/* The checksum of .gnu_debuglink: CRC-32 of IEEE 802.3, over the whole file. */
static bool file_crc(int fd, uint32_t *ret)
{
	static uint32_t table[256];
	unsigned char buf[1 << 16];
	uint32_t crc = ~0u;
	ssize_t n;

	for (uint32_t i = 0; !table[255] && i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		table[i] = c;
	}
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			crc = table[(crc ^ buf[i]) & 255] ^ crc >> 8;
	*ret = ~crc;
	return n == 0;
}

/* True when the file there is the debug information that is wanted. */
static bool candidate(const struct dwarf_wanted *w, const char *path, bool check_crc, char **warning)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool has_dwarf = false, ok = false;
	struct stat st;
	char *id = NULL;
	uint32_t crc;
	Elf *elf;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		if (fd < 0 && errno == EACCES && !*warning)
			*warning = g_strdup_printf("%s cannot be read: %s", path, g_strerror(EACCES));
		if (fd >= 0)
			close(fd);
		return false;
	}
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		id = dwarf_elf_identity(elf, &has_dwarf);
	else if (!*warning)
		*warning = g_strdup_printf("%s is not an ELF file; passed over", path);
	if (has_dwarf && w->build_id && id)
		ok = strcmp(id, w->build_id) == 0;
	else if (has_dwarf && check_crc && w->debuglink)
		ok = file_crc(fd, &crc) && crc == w->crc;
	else
		ok = has_dwarf && !w->build_id;
	if (!has_dwarf && !check_crc && elf && !*warning)
		*warning = g_strdup_printf("%s has no debug information in it; passed over", path);
	if (has_dwarf && !ok && !*warning) {
		if (id && w->build_id)
			*warning = g_strdup_printf("%s is of another build: its build id is %s, %s has %s; passed over", path, id,
						   w->path ? w->path : "the file", w->build_id);
		else
			*warning = g_strdup_printf("%s is of another build: its checksum or build id is not that which %s asks for; "
						   "passed over", path, w->path ? w->path : "the file");
	}
	elf_end(elf);
	g_free(id);
	close(fd);
	return ok;
}

/* One search: places are tried until one is right. */
struct hunt {
	const struct dwarf_wanted *w;
	char **warning;
	char *found;
};

static bool try_path(struct hunt *h, char *path, bool check_crc)
{
	struct stat a, b;

	/* the file itself has none, as is known */
	if (!h->found && h->w->path && stat(path, &a) == 0 && stat(h->w->path, &b) == 0 && a.st_ino == b.st_ino &&
	    a.st_dev == b.st_dev) {
		g_free(path);
		return false;
	}
	if (!h->found && candidate(h->w, path, check_crc, h->warning)) {
		h->found = path;
		return true;
	}
	g_free(path);
	return h->found != NULL;
}

static char *build_id_path(const char *dir, const char *id)
{
	return g_strdup_printf("%s/.build-id/%.2s/%s.debug", dir, id, id + 2);
}

/* A module's or program's path without the ending of a compressed file. */
static char *plain_path(const char *path)
{
	static const char *const endings[] = { ".xz", ".gz", ".zst", ".bz2" };

	for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
		if (g_str_has_suffix(path, endings[i]))
			return g_strndup(path, strlen(path) - strlen(endings[i]));
	return g_strdup(path);
}

/* `dir` has the same tree below it as `/` has. */
static void try_mirror(struct hunt *h, const char *dir, const char *path)
{
	char *base = g_path_get_dirname(path);

	try_path(h, g_strdup_printf("%s%s.debug", dir, path), true);
	try_path(h, g_strdup_printf("%s%s", dir, path), true);
	if (h->w->debuglink)
		try_path(h, g_strdup_printf("%s%s/%s", dir, base, h->w->debuglink), true);
	g_free(base);
}

static void try_absolute(struct hunt *h, const char *dir, const char *path)
{
	char *without;

	if (!path)
		return;
	try_mirror(h, dir, path);
	/* /lib is a link to /usr/lib today, and packages disagree about which of the two is the path */
	if (g_str_has_prefix(path, "/usr/")) {
		try_mirror(h, dir, path + 4);
	} else if (g_str_has_prefix(path, "/lib") || g_str_has_prefix(path, "/bin/") || g_str_has_prefix(path, "/sbin/")) {
		without = g_strconcat("/usr", path, NULL);
		try_mirror(h, dir, without);
		g_free(without);
	}
}

static void try_relative(struct hunt *h, const char *dir, const char *path)
{
	char *base = path ? g_path_get_dirname(path) : NULL, *name = path ? g_path_get_basename(path) : NULL;

	if (base && h->w->debuglink)
		try_path(h, g_build_filename(base, dir, h->w->debuglink, NULL), true);
	if (base && *dir)
		try_path(h, g_strdup_printf("%s/%s/%s.debug", base, dir, name), true);
	g_free(base);
	g_free(name);
}

/* The directories asked: those of the search path, the file's own, that of the target's tree, and the system's. */
static char **search_dirs(const struct dwarf_search *s)
{
	const char *path = s && s->path ? s->path : g_getenv("SYSTEMTAP_DEBUGINFO_PATH");
	const char *root = s && s->root ? s->root : "";
	char *all = g_strconcat(path ? path : "", path ? ":" : "", ".debug::", root, *root ? DEFAULT_PATH ":" : "", DEFAULT_PATH, NULL);
	char **dirs = g_strsplit(all, ":", -1);

	/* + and - say whether checksums are compared; they always are */
	for (char **d = dirs; *d; d++)
		memmove(*d, *d + strspn(*d, "+-"), strlen(*d + strspn(*d, "+-")) + 1);
	g_free(all);
	return dirs;
}

static void sent_by_server(char **warning)
{
	char *more = g_strconcat(*warning, ": the servers of DEBUGINFOD_URLS sent it, remove it to ask them again", NULL);

	g_free(*warning);
	*warning = more;
}

char *dwarf_find_debug(const struct dwarf_wanted *w, char **warning, char **unfetched)
{
	char **dirs = search_dirs(w->search), *path = w->path ? plain_path(w->path) : NULL;
	char *real = path ? realpath(path, NULL) : NULL;
	struct hunt h = { .w = w, .warning = warning };
	size_t root = w->search && w->search->root ? strlen(w->search->root) : 0;

	for (char **d = dirs; *d && w->build_id && strlen(w->build_id) > 2; d++)
		if (**d == '/')
			try_path(&h, build_id_path(*d, w->build_id), false);
	for (char **d = dirs; *d && !h.found; d++) {
		if (**d != '/') {
			try_relative(&h, *d, path);
			continue;
		}
		try_absolute(&h, *d, path && root && strncmp(path, w->search->root, root) == 0 ? path + root : path);
		if (real && strcmp(real, path) != 0)
			try_absolute(&h, *d, real);
		if (w->debuglink)
			try_path(&h, g_build_filename(*d, w->debuglink, NULL), true);
	}
	if (!h.found && !(w->search && w->search->no_debuginfod)) {
		char *fetched = dwarf_fetch(w->build_id, false, w->path ? w->path : "the kernel", unfetched);

		/* what came is the last that was looked at: it says more than what lay elsewhere */
		if (fetched) {
			g_clear_pointer(warning, g_free);
			if (!try_path(&h, fetched, false) && *warning)
				sent_by_server(warning);
		}
	}
	if (h.found) {
		g_clear_pointer(warning, g_free);
		g_clear_pointer(unfetched, g_free);
	}
	free(real);
	g_free(path);
	g_strfreev(dirs);
	return h.found;
}

static bool alt_is_right(const char *path, const char *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	char *have = elf ? dwarf_elf_identity(elf, NULL) : NULL;
	bool ok = have && strcmp(have, id) == 0;

	g_free(have);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Name and build id of .gnu_debugaltlink. */
static bool read_altlink(const char *debug_path, char **name, char **id)
{
	int fd = open(debug_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	Elf_Data *d = elf ? section_data(elf, ".gnu_debugaltlink") : NULL;
	size_t len = d && d->d_buf ? strnlen(d->d_buf, d->d_size) : 0;

	if (len && len + 1 < d->d_size && d->d_size - len - 1 <= 64) {
		GString *hex = g_string_new(NULL);

		for (size_t i = len + 1; i < d->d_size; i++)
			g_string_append_printf(hex, "%02x", ((unsigned char *)d->d_buf)[i]);
		*name = g_strndup(d->d_buf, len);
		*id = g_string_free(hex, FALSE);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return *name != NULL;
}

char *dwarf_find_alt(const char *debug_path, const struct dwarf_search *search, char **why)
{
	char *name = NULL, *id = NULL, *ret = NULL, *dir, *path, *real;
	char **dirs;

	if (!read_altlink(debug_path, &name, &id))
		return NULL;
	real = realpath(debug_path, NULL);
	dir = g_path_get_dirname(real ? real : debug_path);
	path = *name == '/' ? g_strconcat(search && search->root ? search->root : "", name, NULL) : g_build_filename(dir, name, NULL);
	if (alt_is_right(path, id))
		ret = g_steal_pointer(&path);
	g_free(path);
	dirs = search_dirs(search);
	for (char **d = dirs; *d && !ret; d++) {
		path = build_id_path(*d, id);
		if (**d == '/' && alt_is_right(path, id))
			ret = g_steal_pointer(&path);
		g_free(path);
		path = g_strdup_printf("%s/.dwz/%s", *d, strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
		if (!ret && **d == '/' && alt_is_right(path, id))
			ret = g_steal_pointer(&path);
		g_free(path);
	}
	if (!ret && !(search && search->no_debuginfod)) {
		ret = dwarf_fetch(id, false, name, NULL);
		if (ret && !alt_is_right(ret, id))
			g_clear_pointer(&ret, g_free);
	}
	if (!ret)
		errmsg_set(why, "%s shares debug information with %s (build id %s), which is not here; names and types may be missing",
			   debug_path, name, id);
	g_strfreev(dirs);
	g_free(dir);
	free(real);
	g_free(name);
	g_free(id);
	return ret;
}
