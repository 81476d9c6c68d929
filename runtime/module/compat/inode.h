/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and inodes: names and times. */
#ifndef STP_COMPAT_INODE_H
#define STP_COMPAT_INODE_H

#include <linux/fs.h>
#include <linux/time64.h>

/* When the inode last changed, ns.  The fields became functions in 6.6 (16a9496523a4). */
static inline s64 stp_inode_changed(const struct inode *i)
{
#ifdef STP_HAVE_INODE_GET_CTIME
	struct timespec64 t = inode_get_ctime(i);
#else
	struct timespec64 t = i->i_ctime;
#endif
	return timespec64_to_ns(&t);
}

/* When its contents last did, ns; a function in 6.7 (12cd44023651). */
static inline s64 stp_inode_written(const struct inode *i)
{
#ifdef STP_HAVE_INODE_GET_MTIME
	struct timespec64 t = inode_get_mtime(i);
#else
	struct timespec64 t = i->i_mtime;
#endif
	return timespec64_to_ns(&t);
}

/*
 * The inode of its data, which is what processes have mapped: overlayfs opens another file beneath.  Before 6.8 that one bears the path above, and
 * its own inode.
 */
static inline struct inode *stp_file_data_inode(const struct file *f)
{
	struct inode *i = file_inode(f);

	return i == d_inode(f->f_path.dentry) ? d_real_inode(f->f_path.dentry) : i;
}

/* The path by which a process opened a file, also where overlayfs put another file beneath (6.8, def3ae83da02). */
static inline const struct path *stp_file_user_path(const struct file *f)
{
#if defined(STP_HAVE_FILE_USER_PATH) && defined(STP_EXPORTED_backing_file_user_path)
	return file_user_path((struct file *)f);
#else
	return &f->f_path;
#endif
}

/* The inode that /proc/PID/maps shows of it: that of the path above, where the kernel can tell. */
static inline const struct inode *stp_file_user_inode(const struct file *f)
{
#if defined(STP_HAVE_FILE_USER_PATH) && defined(STP_EXPORTED_backing_file_user_path)
	return d_inode(stp_file_user_path(f)->dentry);
#else
	return stp_file_data_inode(f);
#endif
}
#endif
