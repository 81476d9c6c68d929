/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Mappings as text (umap_text.h). */
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include "str.h"
#include "umap_text.h"

/* What /proc shows: a program's .bss and code that was made have no name there. */
static struct stp_str name_of(const struct stp_umap *m)
{
	if (m->flags & (STP_UMAP_BSS | STP_UMAP_JIT))
		return m->flags & STP_UMAP_HEAP ? STP_STR("[heap]") : m->flags & STP_UMAP_STACK ? STP_STR("[stack]") : STP_STR("");
	return (struct stp_str){ m->file->path, m->file->path_len };
}

struct stp_str stp_umap_path(struct stp_ctx *c, const struct stp_umap *m)
{
	struct stp_str s = name_of(m);

	s.len = min_t(size_t, s.len, stp_maxlen());
	return stp_str_dup(c, s);
}

static void perms_write(char *p, u32 flags)
{
	p[0] = flags & STP_UMAP_READ ? 'r' : '-';
	p[1] = flags & STP_UMAP_WRITE ? 'w' : '-';
	p[2] = flags & STP_UMAP_EXEC ? 'x' : '-';
	p[3] = flags & STP_UMAP_SHARED ? 's' : 'p';
}

struct stp_str stp_umap_perms(struct stp_ctx *c, u32 flags)
{
	char *p = stp_tmp(c, 4);

	if (!p)
		return STP_STR("");
	perms_write(p, flags);
	return (struct stp_str){ p, 4 };
}

/* A newline would look like the end of the line. */
static void put_name(struct stp_ctx *c, struct stp_sink *o, struct stp_str s)
{
	size_t n;

	while (s.len) {
		const char *newline = memchr(s.p, '\n', s.len);

		n = newline ? newline - s.p : s.len;
		stp_put(c, o, s.p, n);
		if (newline)
			stp_put(c, o, "\\012", 4);
		n += newline != NULL;
		s.p += n;
		s.len -= n;
	}
}

/* As fs/proc/task_mmu.c: names begin in column 73. */
void stp_umap_put_line(struct stp_ctx *c, struct stp_sink *o, const struct stp_umap *m)
{
	bool file = !(m->flags & STP_UMAP_NOFILE);
	dev_t dev = file ? m->file->user_dev : 0;
	struct stp_str name = name_of(m);
	char line[128], perms[4];
	int n;

	perms_write(perms, m->flags);
	n = scnprintf(line, sizeof(line), "%08llx-%08llx %.4s %08llx %02x:%02x %llu ", m->start, m->end, perms, file ? m->off : 0,
		      MAJOR(dev), MINOR(dev), file ? m->file->user_ino : 0);
	if (name.len) {
		while (n < 73)
			line[n++] = ' ';
	}
	stp_put(c, o, line, n);
	put_name(c, o, name);
	stp_put(c, o, "\n", 1);
}
