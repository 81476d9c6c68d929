/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobes: registration and callbacks. */
#ifndef STP_COMPAT_UPROBES_H
#define STP_COMPAT_UPROBES_H

#include <linux/err.h>
#include <linux/uprobes.h>

/* Handlers take a word of data between entry and return since 6.13 (da09a9e0c3ea): the end of their parameters. */
#ifdef STP_HAVE_UPROBE_DATA
#define STP_UPROBE_DATA , __u64 *data
#else
#define STP_UPROBE_DATA
#endif
/* Filters lost the context in 6.12. */
#ifdef STP_HAVE_UPROBE_FILTER_CTX
#define STP_UPROBE_FILTER(name, uc, mm) static bool name(struct uprobe_consumer *uc, enum uprobe_filter_ctx ctx, struct mm_struct *mm)
#else
#define STP_UPROBE_FILTER(name, uc, mm) static bool name(struct uprobe_consumer *uc, struct mm_struct *mm)
#endif

/* What a registration leaves to be undone: a pointer since 6.12 (3c83a9ad0295), before that the place itself. */
struct stp_uprobe_handle {
	struct uprobe *uprobe;
	struct inode *inode;
	loff_t offset;
};

static inline int stp_uprobe_register(struct stp_uprobe_handle *h, struct inode *inode, u64 offset, u64 semaphore,
				      struct uprobe_consumer *uc)
{
#ifdef STP_HAVE_UPROBE_HANDLE
	struct uprobe *u = uprobe_register(inode, offset, semaphore, uc);

	if (IS_ERR(u))
		return PTR_ERR(u);
	h->uprobe = u;
	return 0;
#else
	h->inode = inode;
	h->offset = offset;
	return uprobe_register_refctr(inode, offset, semaphore, uc);
#endif
}

/* Handlers may still run until stp_uprobe_sync(). */
static inline void stp_uprobe_unregister(struct stp_uprobe_handle *h, struct uprobe_consumer *uc)
{
#ifdef STP_HAVE_UPROBE_HANDLE
	uprobe_unregister_nosync(h->uprobe, uc);
#else
	uprobe_unregister(h->inode, h->offset, uc);
#endif
}

static inline void stp_uprobe_sync(void)
{
#ifdef STP_HAVE_UPROBE_HANDLE
	uprobe_unregister_sync();
#endif
}
#endif
