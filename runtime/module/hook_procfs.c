/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * procfs probes: files in /proc/systemtap/MODULE.  A read at the beginning of a file runs its read probes, which
 * make the text that this open file then gives; each write runs the write probes on what was written.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "hook.h"
#include "procfs_dir.h"

/* What $value stands for while a handler runs: c->args points to it. */
struct procfs_value {
	char *text;
	size_t len, size;
};

/* One file, however many probes it has. */
struct procfs_file {
	struct procfs_file *next;
	const char *name;
	size_t size;                    /* of what is read, at most */
	umode_t mode;
};

/* An open file. */
struct procfs_open {
	struct mutex lock;
	struct procfs_file *file;
	struct procfs_value value;
};

static struct procfs_file *files;

/* ---- what handlers call ---- */

static struct procfs_value *value_of(struct stp_ctx *c)
{
	return (struct procfs_value *)(uintptr_t)c->args;
}

void stp_procfs_value_set(struct stp_ctx *c, struct stp_str s);
void stp_procfs_value_append(struct stp_ctx *c, struct stp_str s);
struct stp_str stp_procfs_value(struct stp_ctx *c);

void stp_procfs_value_append(struct stp_ctx *c, struct stp_str s)
{
	struct procfs_value *v = value_of(c);
	size_t n = min_t(size_t, s.len, v->size - v->len);

	memcpy(v->text + v->len, s.p, n);
	v->len += n;
}

void stp_procfs_value_set(struct stp_ctx *c, struct stp_str s)
{
	value_of(c)->len = 0;
	stp_procfs_value_append(c, s);
}

/* A copy: the handler may go on to change it. */
struct stp_str stp_procfs_value(struct stp_ctx *c)
{
	const struct procfs_value *v = value_of(c);
	struct stp_str s = { v->text, min_t(size_t, v->len, stp_script.config->maxstringlen - 1) };

	return stp_str_dup(c, s);
}

/* ---- file operations ---- */

static void run_probes(const struct procfs_file *file, u32 sub, struct procfs_value *v)
{
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_PROCFS)
		if (ps->p->sub == sub && !strcmp(ps->p->target, file->name))
			stp_hit(ps->p, NULL, (const u64 *)v, 0);
}

static int procfs_open(struct inode *inode, struct file *f)
{
	struct procfs_open *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!o)
		return -ENOMEM;
	mutex_init(&o->lock);
	o->file = stp_procfs_data(inode);
	f->private_data = o;
	return 0;
}

static int procfs_release(struct inode *inode, struct file *f)
{
	struct procfs_open *o = f->private_data;

	kvfree(o->value.text);
	kfree(o);
	return 0;
}

/* The text anew. */
static int fill(struct procfs_open *o)
{
	struct procfs_value *v = &o->value;

	if (!v->text) {
		v->text = kvmalloc(o->file->size, GFP_KERNEL);
		if (!v->text)
			return -ENOMEM;
		v->size = o->file->size;
	}
	v->len = 0;
	run_probes(o->file, STP_PROCFS_READ, v);
	return 0;
}

static ssize_t procfs_read(struct file *f, char __user *buf, size_t n, loff_t *pos)
{
	struct procfs_open *o = f->private_data;
	ssize_t rc = 0;

	if (mutex_lock_interruptible(&o->lock))
		return -ERESTARTSYS;
	if (!*pos)
		rc = fill(o);
	if (!rc)
		rc = simple_read_from_buffer(buf, n, pos, o->value.text, o->value.len);
	mutex_unlock(&o->lock);
	return rc;
}

/* What does not fit into a string comes with the writer's next call. */
static ssize_t procfs_write(struct file *f, const char __user *buf, size_t n, loff_t *pos)
{
	struct procfs_open *o = f->private_data;
	size_t most = stp_script.config->maxstringlen - 1;
	struct procfs_value v = { .len = min(n, most), .size = min(n, most) };

	v.text = memdup_user(buf, v.len);
	if (IS_ERR(v.text))
		return PTR_ERR(v.text);
	run_probes(o->file, STP_PROCFS_WRITE, &v);
	kfree(v.text);
	*pos += v.len;
	return v.len;
}

static const struct proc_ops procfs_ops = {
	.proc_open = procfs_open,
	.proc_read = procfs_read,
	.proc_write = procfs_write,
	.proc_lseek = default_llseek,
	.proc_release = procfs_release,
};

/* ---- attaching ---- */

/* The file of a probe, with what it adds to it. */
static int add_probe(const struct stp_probe *p)
{
	umode_t mode = (p->sub == STP_PROCFS_READ ? 0444 : 0222) & ~p->arg;
	struct procfs_file *f;

	for (f = files; f && strcmp(f->name, p->target); f = f->next)
		;
	if (!f) {
		f = kzalloc(sizeof(*f), GFP_KERNEL);
		if (!f)
			return -ENOMEM;
		f->name = p->target;
		f->next = files;
		files = f;
	}
	f->mode |= mode;
	f->size = max_t(size_t, f->size, p->arg2 ?: stp_script.config->maxstringlen - 1);
	return 0;
}

static int procfs_attach(void)
{
	struct stp_probe_state *ps;
	struct procfs_file *f;
	int rc = 0;

	stp_for_each_probe(ps, STP_PROCFS) {
		rc = add_probe(ps->p);
		if (rc)
			return rc;
	}
	rc = stp_procfs_dir_create();
	if (rc)
		stp_warn("procfs probes could not be attached: there can be no directory /proc/" STP_PROCFS_ROOT "/%s (error %d)",
			 THIS_MODULE->name, rc);
	for (f = rc ? NULL : files; f; f = f->next)
		if (stp_procfs_file_create(f->name, f->mode, &procfs_ops, f))
			stp_warn("probe procfs(\"%s\") could not be attached: there can be no such file", f->name);
	return rc == -ENOMEM ? rc : 0;
}

/* Removing waits for readers and writers. */
static void procfs_detach(void)
{
	struct procfs_file *f;

	stp_procfs_dir_remove();
	while ((f = files)) {
		files = f->next;
		kfree(f);
	}
}

const struct stp_hook stp_hook_procfs = { procfs_attach, procfs_detach };
