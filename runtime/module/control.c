/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * The control file /proc/stap-NAME: the loader's commands (stp_msg.h), its mapping of the output, and its
 * end.  An open file holds the module; closing it ends the session at once unless it was started
 * detached.
 */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "session.h"
#include "transport.h"
#include "extras.h"

static struct proc_dir_entry *entry;
static atomic_t opened;

static int control_open(struct inode *inode, struct file *file)
{
	if (atomic_cmpxchg(&opened, 0, 1))
		return -EBUSY;
	if (!try_module_get(THIS_MODULE)) {
		atomic_set(&opened, 0);
		return -ENODEV;
	}
	mutex_lock(&stp_session_lock);
	stp_session.loader = task_tgid_nr(current);
	stp_transport_unread(false);
	mutex_unlock(&stp_session_lock);
	return 0;
}

static int control_release(struct inode *inode, struct file *file)
{
	mutex_lock(&stp_session_lock);
	if (!stp_session.detached || stp_session.state != STP_RUNNING)
		stp_session_abandon();
	else
		stp_transport_unread(true);
	mutex_unlock(&stp_session_lock);
	atomic_set(&opened, 0);
	module_put(THIS_MODULE); /* removal of the file waits for this function */
	return 0;
}

static long start_session(const struct stp_start __user *arg)
{
	struct stp_start a;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	a.tz_name[sizeof(a.tz_name) - 1] = 0;
	stp_session.tz_west = a.tz_west;
	memcpy(stp_session.tz_name, a.tz_name, sizeof(a.tz_name));
	if (stp_ns_hold && stp_session.state == STP_LOADED && stp_ns_hold(stp_pid_given(a.namespaces)))
		return -ESRCH;
	return stp_session_start(stp_pid_given(a.target), a.flags);
}

static long stop_session(struct stp_stop_info __user *arg)
{
	struct stp_stop_info info = { 0 };

	stp_session_stop(&info);
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long get_info(struct stp_info __user *arg)
{
	struct stp_info info;

	stp_transport_info(&info);
	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long control_command(unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case STP_IOC_INFO: return get_info(arg);
	case STP_IOC_SETVAR: return stp_script.set_global ? stp_script.set_global((__force void *)arg) : -ENOENT;
	case STP_IOC_START: return start_session(arg);
	case STP_IOC_STOP: return stop_session(arg);
	}
	return stp_extra(STP_AT_COMMAND, cmd, arg);
}

static long control_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long rc;

	rc = stp_extra(STP_AT_FREE_COMMAND, cmd, (void __user *)arg);
	if (rc != -ENOTTY)
		return rc;
	mutex_lock(&stp_session_lock);
	rc = control_command(cmd, (void __user *)arg);
	mutex_unlock(&stp_session_lock);
	return rc;
}

static int control_mmap(struct file *file, struct vm_area_struct *vma)
{
	return stp_transport_mmap(vma);
}

static const struct proc_ops control_ops = {
	.proc_open = control_open,
	.proc_release = control_release,
	.proc_ioctl = control_ioctl,
	.proc_poll = stp_transport_poll,
	.proc_mmap = control_mmap,
};

int stp_control_create(void)
{
	char name[sizeof(STP_CONTROL_PREFIX) + MODULE_NAME_LEN];

	snprintf(name, sizeof(name), STP_CONTROL_PREFIX "%s", THIS_MODULE->name);
	entry = proc_create(name, 0600, NULL, &control_ops);
	return entry ? 0 : -ENOMEM;
}

void stp_control_remove(void)
{
	proc_remove(entry);
}
