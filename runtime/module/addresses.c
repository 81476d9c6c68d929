/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of the target's data that the loader found (STP_IOC_ADDRESSES), for scripts that name such data. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "session.h"
#include "str.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

long stp_addresses_set(const struct stp_addresses __user *arg)
{
	struct stp_addresses a;
	u64 *list;
	u32 i;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (a.n != stp_naddresses)
		return -EINVAL;
	if (stp_session.state != STP_LOADED)
		return -EALREADY;
	list = vmemdup_user((void __user *)(uintptr_t)a.addresses, a.n * sizeof(*list));
	if (IS_ERR(list))
		return PTR_ERR(list);
	for (i = 0; i < a.n; i++)
		if (!stp_address_list[i].moved)
			stp_address_list[i].addr = list[i];
	kvfree(list);
	return 0;
}

void stp_address_missing(struct stp_ctx *c, u32 n)
{
	const char *what = stp_address_list[n].what;
	struct stp_str text = stp_str_cat(c, STP_STR("the address is not known of "), (struct stp_str){ what, strlen(what) });

	stp_fail_str(c, text);
}

/* What this CPU's copy of per-CPU data is away from its address in the image. */
s64 stp_percpu_offset(struct stp_ctx *c)
{
	return (s64)__my_cpu_offset;
}
