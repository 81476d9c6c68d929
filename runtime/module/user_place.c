/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a program or library is in the process that was hit, for variables that are not of the probe's own file. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include "port.h"
#include "umap.h"
#include "user_file.h"

const u8 stp_umap_wants_now = 1;

static bool is_code_of(const struct stp_umap *m, const struct inode *i)
{
	return m->flags & STP_UMAP_EXEC && !(m->flags & STP_UMAP_NOFILE) && m->file->ino == i->i_ino && m->file->dev == i->i_sb->s_dev &&
	       m->file->generation == i->i_generation;
}

const struct stp_umap *stp_umaps_code(const struct stp_umaps *maps, const struct inode *inode)
{
	const struct stp_umap *m;
	struct stp_umaps_iter it;

	for (m = stp_umaps_seek(&it, maps, 0); m && !is_code_of(m, inode);)
		m = stp_umaps_next(&it);
	return m;
}

s64 stp_user_file_start(struct stp_ctx *c, u32 file);
s64 stp_user_file_start(struct stp_ctx *c, u32 file)
{
	const struct inode *inode = stp_user_file_inode(file);
	const struct stp_umaps *maps = stp_umaps_current();
	const struct stp_umap *m = inode && maps ? stp_umaps_code(maps, inode) : NULL;

	if (m)
		return (s64)(m->start - m->off);
	stp_fail(c, inode ? "the program or library that the variable is of is not mapped in this process" :
		 "the program or library that the variable is of could not be opened");
	return 0;
}
