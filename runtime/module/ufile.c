/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Files of watched processes, and the tables that the loader hands in for them (ufile.h). */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include "port.h"
#include "session.h"
#include "ufile.h"
#include "umap.h"
#include "ustack.h"
#include "usym.h"
#include "utab.h"
#include "compat/inode.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define BUCKETS 256
#define MAX_FILES (256u << 10) /* entries, of some 300 bytes: whoever may map programs can make new ones all the time */

static struct hlist_head files[BUCKETS];
static DEFINE_MUTEX(files_lock);               /* the hash table, path buffers */
static u32 nfiles;
static struct stp_ufile *wanted, **wanted_end = &wanted;
static DEFINE_RAW_SPINLOCK(wanted_lock);
static DECLARE_WAIT_QUEUE_HEAD(wanted_queue);  /* the loader */
static DECLARE_WAIT_QUEUE_HEAD(ready_queue);   /* tasks */
static bool over;
atomic64_t stp_ufile_late;

static void wake_loader(struct irq_work *w)
{
	wake_up_interruptible(&wanted_queue);
}
static struct irq_work wake_work = IRQ_WORK_INIT(wake_loader);

static bool same_file(const struct stp_ufile *f, const struct inode *i)
{
	return f->source == STP_SOURCE_FILE && f->ino == i->i_ino && f->dev == i->i_sb->s_dev && f->generation == i->i_generation && f->size == (u64)i_size_read(i) &&
	       f->changed == stp_inode_changed(i);
}

static void caches(bool make)
{
	if (stp_usym_cache)
		stp_usym_cache(make);
	if (stp_ustack_cache)
		stp_ustack_cache(make);
}

/* Under the lock. */
static struct stp_ufile *entry_new(const char *path)
{
	size_t len = strlen(path);
	struct stp_ufile *f = nfiles < MAX_FILES ? stp_alloc(sizeof(*f) + len + 1) : NULL;
	const char *slash;

	if (!f)
		return NULL;
	if (!nfiles)
		caches(true);
	f->id = ++nfiles;
	f->mapped = true;
	f->path_len = (u32)len;
	memcpy(f->path, path, len + 1);
	slash = strrchr(f->path, '/');
	f->name = slash ? slash + 1 : f->path;
	f->name_len = (u32)strlen(f->name);
	return f;
}

void stp_ufile_identify(struct stp_ufile *f, struct file *file)
{
	const struct inode *i = stp_file_data_inode(file), *user = stp_file_user_inode(file);

	f->dev = i->i_sb->s_dev;
	f->ino = i->i_ino;
	f->generation = i->i_generation;
	f->user_dev = user->i_sb->s_dev;
	f->user_ino = user->i_ino;
}

static struct stp_ufile *file_new(struct file *file, const struct inode *i)
{
	char *page = stp_alloc(PATH_MAX), *path = page ? d_path(stp_file_user_path(file), page, PATH_MAX) : NULL;
	struct stp_ufile *f = NULL;

	if (!page)
		return NULL;
	f = entry_new(IS_ERR(path) ? "?" : path);
	if (f) {
		stp_ufile_identify(f, file);
		f->size = (u64)i_size_read(i);
		f->changed = stp_inode_changed(i);
		f->file = get_file(file);
	}
	stp_free(page);
	return f;
}

bool stp_ufile_is_program(const struct file *file)
{
	const struct inode *i = file_inode(file);

	return S_ISREG(i->i_mode) && i->i_sb->s_magic != PROC_SUPER_MAGIC && i->i_sb->s_magic != SYSFS_MAGIC;
}

struct stp_ufile *stp_ufile_get(struct file *file)
{
	const struct inode *i = stp_file_data_inode(file);
	struct hlist_head *head = &files[(i->i_ino ^ i->i_sb->s_dev) % BUCKETS];
	struct stp_ufile *f;

	mutex_lock(&files_lock);
	hlist_for_each_entry(f, head, node)
		if (same_file(f, i)) {
			if (!f->file && f->state == STP_UFILE_NEW)
				f->file = get_file(file);
			f->mapped = true;
			goto out;
		}
	f = file_new(file, i);
	if (f)
		hlist_add_head_rcu(&f->node, head); /* stp_ufile_find takes no lock */
out:
	mutex_unlock(&files_lock);
	return f;
}

struct stp_ufile *stp_ufile_find(const struct file *file)
{
	const struct inode *i = file_inode(file);
	struct stp_ufile *f;

	hlist_for_each_entry_rcu(f, &files[(i->i_ino ^ i->i_sb->s_dev) % BUCKETS], node, true)
		if (same_file(f, i))
			break;
	return f;
}

bool stp_ufile_keep(struct stp_ufile *f)
{
	unsigned long flags;
	bool kept;

	if (READ_ONCE(f->state) != STP_UFILE_NEW)
		return true;
	raw_spin_lock_irqsave(&wanted_lock, flags);
	f->mapped = true;
	kept = f->state != STP_UFILE_NEW || f->file;
	raw_spin_unlock_irqrestore(&wanted_lock, flags);
	return kept;
}

static struct stp_ufile *find_source(struct hlist_head *head, u8 source, const struct pid *pid, u64 ino)
{
	struct stp_ufile *f;

	hlist_for_each_entry(f, head, node)
		if (f->source == source && f->pid == pid && f->ino == ino) {
			f->mapped = true;
			return f;
		}
	return NULL;
}

/* `pid` is held for the entry, or let go. */
static struct stp_ufile *source_get(u8 source, const char *path, struct pid *pid, u64 ino)
{
	struct hlist_head *head = &files[hash_ptr(pid, 8)];
	struct stp_ufile *f;

	mutex_lock(&files_lock);
	f = find_source(head, source, pid, ino);
	if (f) {
		put_pid(pid);
		goto out;
	}
	f = entry_new(path);
	if (!f) {
		put_pid(pid);
		goto out;
	}
	f->source = source;
	f->pid = pid;
	f->ino = ino;
	hlist_add_head_rcu(&f->node, head);
out:
	mutex_unlock(&files_lock);
	return f;
}

struct stp_ufile *stp_ufile_vdso(void)
{
	return source_get(STP_SOURCE_VDSO, "[vdso]", NULL, 0);
}

struct stp_ufile *stp_ufile_jit(struct task_struct *task, const struct mm_struct *mm)
{
	struct pid_namespace *own;
	char path[32];
	s32 pid;

	rcu_read_lock();
	own = task_active_pid_ns(task);
	pid = own ? task_tgid_nr_ns(task, own) : 0; /* as the process itself sees it */
	rcu_read_unlock();
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	return source_get(STP_SOURCE_PERF_MAP, path, get_task_pid(task, PIDTYPE_TGID), (u64)(unsigned long)mm);
}

/*
 * Puts an entry that is in state `from` on the list.  Not while the lock is held: a handler may have hit in the kernel's locking
 * functions, called by who holds it.  What is left is wanted again at the next use.
 */
static void want_from(struct stp_ufile *f, enum stp_ufile_state from)
{
	unsigned long flags;

	if (READ_ONCE(f->state) != from || in_nmi() || !raw_spin_trylock_irqsave(&wanted_lock, flags))
		return;
	if (f->state == from && (f->file || f->source != STP_SOURCE_FILE) && !READ_ONCE(over)) {
		WRITE_ONCE(f->state, STP_UFILE_WANTED);
		f->asked = jiffies;
		f->next_wanted = NULL;
		*wanted_end = f;
		wanted_end = &f->next_wanted;
		irq_work_queue(&wake_work);
	}
	raw_spin_unlock_irqrestore(&wanted_lock, flags);
}

void stp_ufile_want(struct stp_ufile *f)
{
	want_from(f, STP_UFILE_NEW);
}

void stp_ufile_grown(struct stp_ufile *f)
{
	enum stp_ufile_state state = READ_ONCE(f->state);

	if (f->source == STP_SOURCE_PERF_MAP && state >= STP_UFILE_READY && time_after_eq(jiffies, READ_ONCE(f->again)))
		want_from(f, state);
}

static bool file_settled(const struct stp_ufile *f)
{
	return smp_load_acquire(&f->state) >= STP_UFILE_READY || READ_ONCE(over);
}

/* A loader that is stopped makes no tables, nor one that has gone (a session that was left running). */
static bool loader_works(void)
{
	struct task_struct *t;
	bool works;

	rcu_read_lock();
	t = pid_task(find_pid_ns(stp_session.loader, &init_pid_ns), PIDTYPE_TGID);
	works = t && !(READ_ONCE(t->signal->flags) & SIGNAL_STOP_STOPPED);
	rcu_read_unlock();
	return works;
}

void stp_ufile_wait(struct stp_ufile *f, unsigned long jiffies_left)
{
	unsigned long step;

	stp_ufile_want(f);
	if (READ_ONCE(f->state) == STP_UFILE_NEW) { /* the list was in use just then */
		schedule_timeout_killable(1);
		stp_ufile_want(f);
	}
	for (; jiffies_left && loader_works(); jiffies_left -= step) {
		step = min_t(unsigned long, jiffies_left, HZ / 10);
		if (__wait_event_killable_timeout(ready_queue, file_settled(f), step))
			break; /* it is there, or the task is killed */
	}
}

/* ---- the loader ---- */
static struct stp_ufile *take_wanted(void)
{
	struct stp_ufile *f;
	unsigned long flags;

	raw_spin_lock_irqsave(&wanted_lock, flags);
	f = READ_ONCE(over) ? NULL : wanted; /* at the end files are let go that are on the list */
	if (f) {
		wanted = f->next_wanted;
		if (!wanted)
			wanted_end = &wanted;
		WRITE_ONCE(f->state, STP_UFILE_SENT);
	}
	raw_spin_unlock_irqrestore(&wanted_lock, flags);
	return f;
}

#define AGAIN (HZ / 5)

/* The next time that a growing list may be asked for: reading it is to take no more than a fifth of the time. */
static void settle(struct stp_ufile *f, enum stp_ufile_state state)
{
	unsigned long now = jiffies;

	WRITE_ONCE(f->again, now + max_t(unsigned long, AGAIN, 4 * (now - f->asked)));
	smp_store_release(&f->state, state);
	wake_up_all(&ready_queue);
}

/* What is no file the loader opens itself. */
static long send_source(struct stp_ufile *f, struct stp_file_request *rq, struct stp_file_request __user *arg)
{
	rq->fd = -1;
	rq->pid = f->pid ? pid_vnr(f->pid) : 0;
	if (f->source == STP_SOURCE_PERF_MAP)
		rq->what = STP_TABLE_FUNC | STP_TABLE_PERF_MAP;
	if (!copy_to_user(arg, rq, sizeof(*rq)))
		return 0;
	settle(f, f->tab ? STP_UFILE_READY : STP_UFILE_NONE);
	return -EFAULT;
}

long stp_ufile_next(struct stp_file_request __user *arg)
{
	struct stp_file_request rq = { 0 };
	struct stp_ufile *f = NULL;
	struct file *file;
	int rc = __wait_event_interruptible(wanted_queue, READ_ONCE(over) || (f = take_wanted()));

	if (rc)
		return rc;
	if (!f)
		return -ESHUTDOWN;
	rq.id = f->id;
	rq.what = STP_TABLE_FUNC | (&stp_umap_wants_data ? STP_TABLE_DATA : 0) | (&stp_umap_wants_rows ? STP_TABLE_ROWS : 0) |
		  (&stp_umap_wants_lines ? STP_TABLE_LINES : 0);
	rq.source = f->source;
	strscpy(rq.path, f->path, sizeof(rq.path));
	if (f->source != STP_SOURCE_FILE)
		return send_source(f, &rq, arg);
	rq.fd = get_unused_fd_flags(O_CLOEXEC);
	/* a file of its own: the mapping's may be one that only overlayfs knows of */
	file = dentry_open(&f->file->f_path, O_RDONLY | O_LARGEFILE, current_cred());
	fput(f->file);
	f->file = NULL;
	if (IS_ERR(file) || rq.fd < 0 || copy_to_user(arg, &rq, sizeof(rq))) {
		settle(f, STP_UFILE_NONE);
		if (rq.fd >= 0)
			put_unused_fd(rq.fd);
		if (!IS_ERR(file))
			fput(file);
		return IS_ERR(file) ? -EAGAIN : rq.fd < 0 ? rq.fd : -EFAULT;
	}
	fd_install(rq.fd, file);
	return 0;
}

static struct stp_ufile *file_by_id(u32 id)
{
	struct stp_ufile *f, *found = NULL;
	u32 i;

	mutex_lock(&files_lock);
	for (i = 0; i < BUCKETS && !found; i++)
		hlist_for_each_entry(f, &files[i], node)
			if (f->id == id) {
				found = f;
				break;
			}
	mutex_unlock(&files_lock);
	return found;
}

/* A list that has grown takes the place of what handlers may just be reading; without a new one the old stays. */
static void table_replace(struct stp_ufile *f, const struct stp_utab *tab)
{
	const struct stp_utab *old = f->tab;

	if (!tab)
		return;
	smp_store_release(&f->tab, tab);
	if (old) {
		synchronize_rcu();
		stp_free(old);
	}
}

long stp_ufile_table(const struct stp_file_table __user *arg)
{
	struct stp_file_table a;
	struct stp_ufile *f;
	void *tab = NULL;
	long rc = 0;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	f = file_by_id(a.id);
	if (!f || READ_ONCE(f->state) != STP_UFILE_SENT)
		return -ENOENT;
	if (a.size) {
		tab = a.size <= STP_UTAB_BYTES ? stp_alloc(a.size) : NULL;
		if (!tab)
			rc = -ENOMEM;
		else if (copy_from_user(tab, (void __user *)a.table, a.size))
			rc = -EFAULT;
		else if (!stp_utab_check(tab, a.size))
			rc = -EINVAL;
	}
	if (rc) {
		stp_free(tab);
		tab = NULL;
	}
	table_replace(f, tab);
	settle(f, f->tab ? STP_UFILE_READY : STP_UFILE_NONE);
	return rc;
}

void stp_ufile_unmark_all(void)
{
	struct stp_ufile *f;
	u32 i;

	mutex_lock(&files_lock);
	for (i = 0; i < BUCKETS; i++)
		hlist_for_each_entry(f, &files[i], node)
			f->mapped = false;
	mutex_unlock(&files_lock);
}

/* Files of entries up to a state, that are not marked. */
static void let_go(enum stp_ufile_state upto)
{
	struct stp_ufile *f;
	unsigned long flags;
	u32 i;

	mutex_lock(&files_lock);
	for (i = 0; i < BUCKETS; i++)
		hlist_for_each_entry(f, &files[i], node) {
			struct file *file = NULL;

			if (f->mapped || !f->file)
				continue;
			raw_spin_lock_irqsave(&wanted_lock, flags);
			if (f->state <= upto && !f->mapped) {
				file = f->file;
				f->file = NULL;
			}
			raw_spin_unlock_irqrestore(&wanted_lock, flags);
			if (file)
				fput(file);
		}
	mutex_unlock(&files_lock);
}

/* Takes the table away, unless a handler has just asked for a new one. */
static const struct stp_utab *take_table(struct stp_ufile *f)
{
	const struct stp_utab *tab = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&wanted_lock, flags);
	if (f->state == STP_UFILE_READY) {
		tab = f->tab;
		f->tab = NULL;
		WRITE_ONCE(f->state, STP_UFILE_NONE);
	}
	raw_spin_unlock_irqrestore(&wanted_lock, flags);
	return tab;
}

/* Lists of code of processes that are no more. */
static void free_lists(void)
{
	struct stp_ufile *f;
	bool waited = false;
	u32 i;

	mutex_lock(&files_lock);
	for (i = 0; i < BUCKETS; i++)
		hlist_for_each_entry(f, &files[i], node) {
			if (f->mapped || f->source != STP_SOURCE_PERF_MAP || READ_ONCE(f->state) != STP_UFILE_READY)
				continue;
			if (!waited)
				synchronize_rcu(); /* a table of mappings may just have gone that a handler still looks into */
			waited = true;
			stp_free(take_table(f));
		}
	mutex_unlock(&files_lock);
}

void stp_ufile_let_go(void)
{
	let_go(STP_UFILE_NEW);
	free_lists();
}

void stp_ufile_end(void)
{
	WRITE_ONCE(over, true);
	wake_up_all(&ready_queue);
	wake_up_all(&wanted_queue);
	stp_ufile_unmark_all();
	let_go(STP_UFILE_WANTED);
}

void stp_ufile_free_all(void)
{
	struct stp_ufile *f;
	struct hlist_node *next;
	u32 i;

	irq_work_sync(&wake_work);
	caches(false);
	for (i = 0; i < BUCKETS; i++)
		hlist_for_each_entry_safe(f, next, &files[i], node) {
			hlist_del(&f->node);
			if (f->file)
				fput(f->file);
			put_pid(f->pid);
			stp_free(f->tab);
			stp_free(f);
		}
	wanted = NULL;
	wanted_end = &wanted;
}
