/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory /proc/systemtap/MODULE and the files in it.  All modules share /proc/systemtap: the first one makes it
 * and the last one removes it.  Process context, under stp_session_lock.
 */
#ifndef STP_PROCFS_DIR_H
#define STP_PROCFS_DIR_H

#include <linux/proc_fs.h>
#include "compat/procfs.h"

#define STP_PROCFS_ROOT "systemtap"

int stp_procfs_dir_create(void);   /* 0 or -errno */
/* With all that is in it; waits for calls under way.  Does nothing when there is none. */
void stp_procfs_dir_remove(void);
/* A file, name may have directories: 0 or -errno.  stp_procfs_data(inode) is `data`. */
int stp_procfs_file_create(const char *name, umode_t mode, const struct proc_ops *ops, void *data);

#endif
