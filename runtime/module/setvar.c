/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Global numbers and strings set from the command line, before the session starts. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "session.h"

static int global_set(const char *name, const char *value, size_t len)
{
	const struct stp_global *g;

	for (g = stp_script.globals; g < stp_script.globals + stp_script.nglobals; g++) {
		if (strcmp(g->name, name))
			continue;
		if (g->kind == STP_G_LONG)
			return kstrtos64(value, 0, g->var) ? -EINVAL : 0;
		if (g->kind != STP_G_STRING)
			return -EINVAL;
		len = min_t(size_t, len, stp_script.config->maxstringlen - 1);
		memcpy(((struct stp_buf *)g->var)->s, value, len);
		((struct stp_buf *)g->var)->len = len;
		return 0;
	}
	return -ENOENT;
}

s64 stp_global_set(const void *arg)
{
	struct stp_setvar a;
	char *value;
	long rc;

	if (copy_from_user(&a, (__force const void __user *)arg, sizeof(a)))
		return -EFAULT;
	if (a.len > PAGE_SIZE || strnlen(a.name, sizeof(a.name)) == sizeof(a.name))
		return -EINVAL;
	if (stp_session.state != STP_LOADED)
		return -EALREADY;
	value = memdup_user_nul((void __user *)(uintptr_t)a.value, a.len);
	if (IS_ERR(value))
		return PTR_ERR(value);
	rc = global_set(a.name, value, a.len);
	kfree(value);
	return rc;
}
