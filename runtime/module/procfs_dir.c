/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* The directory of a module's procfs probes (procfs_dir.h). */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>
#include "session.h"
#include "procfs_dir.h"

#define ROOT_PATH "/proc/" STP_PROCFS_ROOT
#define LOCK_PATH "/proc/version" /* always there; its inode's lock serves all modules */

static struct proc_dir_entry *dir;

/* What is in it: the kernel would warn of a name that is made twice. */
struct procfs_entry {
	struct procfs_entry *next;
	struct proc_dir_entry *pde;
	bool is_dir;
	size_t len;
	char name[];                    /* from `dir` on, len bytes */
};
static struct procfs_entry *entries;

/*
 * No two modules make or remove /proc/systemtap at once: the kernel warns of names that are taken.  Under the lock
 * directories are looked through, whose own locks are taken: they come behind a file's as children's do behind their parent's,
 * and nothing takes them the other way around (there is nothing to be done to a file of /proc that needs both).
 */
static int root_lock(struct path *lock)
{
	int rc = kern_path(LOCK_PATH, 0, lock);

	if (!rc)
		inode_lock_nested(d_inode(lock->dentry), I_MUTEX_PARENT);
	return rc;
}

static void root_unlock(struct path *lock)
{
	inode_unlock(d_inode(lock->dentry));
	path_put(lock);
}

/* Its links: 2, and one for each module; 0 when it is not there. */
static unsigned int root_links(void)
{
	struct path root;
	struct kstat st;
	int rc;

	if (kern_path(ROOT_PATH, LOOKUP_DIRECTORY, &root))
		return 0;
	rc = vfs_getattr(&root, &st, STATX_NLINK, 0);
	path_put(&root);
	return rc ? 3 : st.nlink;
}

int stp_procfs_dir_create(void)
{
	char path[sizeof(STP_PROCFS_ROOT) + 1 + MODULE_NAME_LEN];
	struct path lock;
	int rc = root_lock(&lock);

	if (rc)
		return rc;
	snprintf(path, sizeof(path), STP_PROCFS_ROOT "/%s", THIS_MODULE->name);
	if (!root_links() && !proc_mkdir(STP_PROCFS_ROOT, NULL))
		rc = -ENOMEM;
	if (!rc)
		dir = proc_mkdir(path, NULL);
	root_unlock(&lock);
	return dir ? 0 : -ENOMEM;
}

static void forget_entries(void)
{
	struct procfs_entry *e;

	while ((e = entries)) {
		entries = e->next;
		kfree(e);
	}
}

void stp_procfs_dir_remove(void)
{
	struct path lock;

	if (!dir)
		return;
	proc_remove(dir);
	dir = NULL;
	forget_entries();
	/* a killed loader is past the point where it could look up names: the next session takes the empty directory away */
	if (!current->fs || root_lock(&lock))
		return;
	if (root_links() == 2)
		remove_proc_entry(STP_PROCFS_ROOT, NULL);
	root_unlock(&lock);
}

/* The first len bytes of a name: as an entry, new or (found) an old one; NULL: no memory. */
static struct procfs_entry *entry_of(const char *name, size_t len, bool *found)
{
	struct procfs_entry *e;

	*found = true;
	for (e = entries; e; e = e->next)
		if (e->len == len && !memcmp(e->name, name, len))
			return e;
	*found = false;
	e = kzalloc(sizeof(*e) + len + 1, GFP_KERNEL);
	if (!e)
		return NULL;
	memcpy(e->name, name, len);
	e->len = len;
	e->next = entries;
	entries = e;
	return e;
}

/* The directory of the first len bytes of a name, which lies in `up`; NULL when it can not be. */
static struct proc_dir_entry *subdir(const char *name, size_t len, const char *last, struct proc_dir_entry *up)
{
	bool found;
	struct procfs_entry *e = entry_of(name, len, &found);

	if (!e)
		return NULL;
	if (!found) {
		e->is_dir = true;
		e->pde = proc_mkdir(e->name + (last - name), up);
	}
	return e->is_dir ? e->pde : NULL;
}

int stp_procfs_file_create(const char *name, umode_t mode, const struct proc_ops *ops, void *data)
{
	struct proc_dir_entry *up = dir;
	const char *last = name, *slash;
	struct procfs_entry *e;
	bool found;

	while (up && (slash = strchr(last, '/'))) {
		up = subdir(name, slash - name, last, up);
		last = slash + 1;
	}
	e = up ? entry_of(name, strlen(name), &found) : NULL;
	if (!e || found)
		return -EEXIST;
	e->pde = proc_create_data(last, mode, up, ops, data);
	return e->pde ? 0 : -ENOMEM;
}
