/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Names of mappings that can have no table of symbols: data files, shared memory, and what the kernel calls the heap, a stack, the vdso.  They
 * are entries as of programs (ufile.h), but known by inode alone, since data files change all the time; nobody holds the file, and
 * those that nobody maps any more are dropped.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include "umap.h"
#include "compat/inode.h"

#define BUCKET_BITS 10
#define MANY 4096               /* more than at the last sweep */
#define PATH_ROOM 32768         /* bytes: deep trees have longer paths than PATH_MAX */

static struct hlist_head names[1 << BUCKET_BITS];
static DEFINE_MUTEX(names_mutex);
static u32 nnames, nswept;
DECLARE_RWSEM(stp_umap_names_lock);

static struct stp_ufile *name_new(struct hlist_head *head, const char *path)
{
	size_t len = strlen(path);
	struct stp_ufile *f = kvzalloc(sizeof(*f) + len + 1, GFP_KERNEL | __GFP_NOWARN);
	const char *slash;

	if (!f)
		return NULL;
	f->state = STP_UFILE_NONE;
	f->plain = true;
	f->path_len = (u32)len;
	memcpy(f->path, path, len + 1);
	slash = path[0] == '/' ? strrchr(f->path, '/') : NULL;
	f->name = slash ? slash + 1 : f->path;
	f->name_len = (u32)strlen(f->name);
	hlist_add_head(&f->node, head);
	nnames++;
	return f;
}

static struct stp_ufile *file_name_new(struct file *file, struct hlist_head *head)
{
	char *room = kvmalloc(PATH_ROOM, GFP_KERNEL | __GFP_NOWARN), *path;
	struct stp_ufile *f = NULL;

	if (!room)
		return NULL;
	path = d_path(stp_file_user_path(file), room, PATH_ROOM);
	f = name_new(head, IS_ERR(path) ? "?" : path);
	if (f)
		stp_ufile_identify(f, file);
	kvfree(room);
	return f;
}

struct stp_ufile *stp_umap_file_name(struct file *file)
{
	const struct inode *i = file_inode(file);
	struct hlist_head *head = &names[hash_64(i->i_ino ^ i->i_sb->s_dev, BUCKET_BITS)];
	struct stp_ufile *f;

	mutex_lock(&names_mutex);
	hlist_for_each_entry(f, head, node)
		if (f->ino == i->i_ino && f->dev == i->i_sb->s_dev && f->generation == i->i_generation)
			break;
	if (!f)
		f = file_name_new(file, head);
	if (f)
		f->mapped = true;
	mutex_unlock(&names_mutex);
	return f;
}

struct stp_ufile *stp_umap_text_name(const char *name)
{
	struct hlist_head *head = &names[hash_32(*name << 8 | strlen(name), BUCKET_BITS)];
	struct stp_ufile *f;

	mutex_lock(&names_mutex);
	hlist_for_each_entry(f, head, node)
		if (!f->dev && !f->ino && !strcmp(f->path, name))
			break;
	if (!f)
		f = name_new(head, name);
	if (f)
		f->mapped = true;
	mutex_unlock(&names_mutex);
	return f;
}

bool stp_umap_names_many(void)
{
	return READ_ONCE(nnames) > READ_ONCE(nswept) + MANY;
}

void stp_umap_names_unmark(void)
{
	struct stp_ufile *f;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		hlist_for_each_entry(f, &names[i], node)
			f->mapped = false;
}

void stp_umap_names_drop(void)
{
	struct hlist_node *next;
	struct hlist_head gone = { NULL };
	struct stp_ufile *f;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		hlist_for_each_entry_safe(f, next, &names[i], node)
			if (!f->mapped) {
				hlist_del(&f->node);
				hlist_add_head(&f->node, &gone);
				nnames--;
			}
	WRITE_ONCE(nswept, nnames);
	if (hlist_empty(&gone))
		return;
	synchronize_rcu(); /* handlers that found them in a table that has gone */
	hlist_for_each_entry_safe(f, next, &gone, node)
		kvfree(f);
}
