/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Files and places that the loader sends down (user_file.h). */
#include <linux/file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "port.h"
#include "user_file.h"
#include "compat/inode.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define FILES_MAX 65536
#define USER_SITES_MAX (1u << 22)
#define NAMES_MAX (64u << 20)

struct stp_user_group *stp_user_groups;
static struct stp_user_group **last_group = &stp_user_groups;
static struct stp_user_file *files;
static u32 nfiles;

static int files_grow(u32 n)
{
	struct stp_user_file *more;
	u32 room = ALIGN(n, 16);

	if (n <= nfiles)
		return 0;
	if (stp_user_groups) /* they point into the table */
		return -EINVAL;
	more = kvcalloc(room, sizeof(*more), GFP_KERNEL);
	if (!more)
		return -ENOMEM;
	if (files)
		memcpy(more, files, nfiles * sizeof(*more));
	kvfree(files);
	files = more;
	nfiles = room;
	return 0;
}

long stp_user_file_set(const struct stp_file __user *arg)
{
	struct stp_file a;
	struct file *file;
	int rc;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (a.index >= FILES_MAX)
		return -EINVAL;
	if (stp_session.state != STP_LOADED)
		return -EALREADY;
	rc = files_grow(a.index + 1);
	if (rc)
		return rc;
	if (files[a.index].file)
		return -EEXIST;
	file = fget(a.fd);
	if (!file)
		return -EBADF;
	files[a.index].file = file;
	files[a.index].inode = stp_file_data_inode(file);
	files[a.index].size = i_size_read(files[a.index].inode);
	files[a.index].written = stp_inode_written(files[a.index].inode);
	return 0;
}

static struct stp_user_file *file_at(s32 index)
{
	return index >= 0 && (u32)index < nfiles && files[index].file ? &files[index] : NULL;
}

static void group_free(struct stp_user_group *g)
{
	kvfree(g->sites);
	kvfree(g->names);
	stp_free(g);
}

/* Names lie where sites say that they do, and end. */
static bool names_ok(const struct stp_user_group *g, u32 size)
{
	u32 i;

	for (i = 0; i < g->nsites; i++)
		if (g->sites[i].name >= size)
			return false;
	return !g->nsites || !g->names[size - 1];
}

static int group_read(struct stp_user_group *g, const struct stp_usites *a)
{
	void *p;

	g->nsites = a->nsites;
	if (!a->nsites)
		return 0;
	if (!g->file || !a->names_size)
		return -EINVAL;
	p = vmemdup_user((void __user *)(uintptr_t)a->sites, a->nsites * sizeof(*g->sites));
	if (IS_ERR(p))
		return PTR_ERR(p);
	g->sites = p;
	p = vmemdup_user((void __user *)(uintptr_t)a->names, a->names_size);
	if (IS_ERR(p))
		return PTR_ERR(p);
	g->names = p;
	return names_ok(g, a->names_size) ? 0 : -EINVAL;
}

long stp_user_sites_set(const struct stp_usites __user *arg)
{
	struct stp_usites a;
	struct stp_user_group *g;
	int rc;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (a.probe >= stp_script.nprobes || a.nsites > USER_SITES_MAX || a.names_size > NAMES_MAX)
		return -EINVAL;
	if (stp_session.state != STP_LOADED)
		return -EALREADY;
	if ((a.file >= 0 && !file_at(a.file)) || (a.program >= 0 && !file_at(a.program)))
		return -EINVAL;
	g = stp_alloc(sizeof(*g));
	if (!g)
		return -ENOMEM;
	g->ps = &stp_probes[a.probe];
	g->file = file_at(a.file);
	g->file_index = a.file;
	g->program = file_at(a.program);
	g->pid = stp_pid_given(a.pid);
	rc = group_read(g, &a);
	if (rc) {
		group_free(g);
		return rc;
	}
	*last_group = g;
	last_group = &g->next;
	return 0;
}

void stp_user_free(void)
{
	struct stp_user_group *g, *next;
	u32 i;

	for (g = stp_user_groups; g; g = next) {
		next = g->next;
		group_free(g);
	}
	for (i = 0; i < nfiles; i++)
		if (files[i].file)
			fput(files[i].file);
	kvfree(files);
}

s32 stp_user_file_find(const struct inode *inode)
{
	u32 i;

	for (i = 0; i < nfiles; i++)
		if (files[i].inode == inode)
			return i;
	return -1;
}

const struct inode *stp_user_file_inode(u32 index)
{
	return index < nfiles ? files[index].inode : NULL;
}

const struct inode *stp_mm_program(struct mm_struct *mm)
{
	const struct file *exe;
	const struct inode *inode = NULL;

	if (!mm)
		return NULL;
	rcu_read_lock();
	exe = rcu_dereference(mm->exe_file);
	if (exe)
		inode = stp_file_data_inode(exe);
	rcu_read_unlock();
	return inode;
}

bool stp_user_file_intact(struct stp_user_file *f)
{
	char *buf;

	if (likely(f->size == (u64)i_size_read(f->inode) && f->written == stp_inode_written(f->inode)))
		return true;
	if (!READ_ONCE(f->told) && !xchg(&f->told, true)) {
		buf = kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);
		stp_warn("%s has been written to since the script began: in processes that map it from now on it is not probed",
			 buf ? stp_user_path(f, buf, PATH_MAX) : "a program");
		kfree(buf);
	}
	return false;
}

const char *stp_user_path(const struct stp_user_file *f, char *buf, int size)
{
	char *p = d_path(&f->file->f_path, buf, size);

	return IS_ERR(p) ? "?" : p;
}
