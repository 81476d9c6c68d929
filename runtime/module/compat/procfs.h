/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data of a proc file's inode: pde_data() since 5.17 (359745d78351), PDE_DATA() before. */
#ifndef STP_COMPAT_PROCFS_H
#define STP_COMPAT_PROCFS_H

#include <linux/proc_fs.h>

#ifdef STP_HAVE_PDE_DATA
#define stp_procfs_data(inode) pde_data(inode)
#else
#define stp_procfs_data(inode) PDE_DATA(inode)
#endif

#endif
