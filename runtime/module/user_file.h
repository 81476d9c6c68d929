/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs and libraries that a script names, and who is meant by a probe in one.  A file is known by its inode:
 * by the one that holds the data where the file is on an overlay, since that is what is mapped.
 */
#ifndef STP_USER_FILE_H
#define STP_USER_FILE_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include "hook.h"

struct stp_user_file {
	struct file *file;              /* held until the module goes; NULL: could not be opened */
	struct inode *inode;            /* of its data */
	u64 size;                       /* when the session began ... */
	s64 written;                    /* ... and when it was last written to */
	bool told;                      /* that it has changed since */
};

/* Places of one probe in one file, as USITES brings them. */
struct stp_user_group {
	struct stp_probe_state *ps;
	struct stp_user_file *file;          /* NULL: any (STP_TASK) */
	const struct stp_user_file *program; /* only in processes that run this; NULL: any */
	s32 pid;                        /* only in this process; 0: any */
	s32 file_index;                 /* of file, -1 */
	u32 nsites;
	struct stp_usite *sites;
	char *names;
	void *hook;                     /* the hook's own */
	struct stp_user_group *next;
};
extern struct stp_user_group *stp_user_groups;

/* The number of the file that has this inode, -1.  Any context. */
s32 stp_user_file_find(const struct inode *inode);
/* The other way round; NULL: it is not there.  Any context. */
const struct inode *stp_user_file_inode(u32 index);
/* The inode of the program that mm runs, for comparisons alone; NULL.  Any context but NMI. */
const struct inode *stp_mm_program(struct mm_struct *mm);
/* Has it the contents that the script was made for?  When it has been written to since, that is told once.  Process context, sleeps not. */
bool stp_user_file_intact(struct stp_user_file *f);
/* "PATH" into buf; process context */
const char *stp_user_path(const struct stp_user_file *f, char *buf, int size);
#endif
