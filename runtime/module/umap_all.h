/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has the tracker keep all mappings, not only those that names and stacks need. */
#ifndef STP_UMAP_ALL_H
#define STP_UMAP_ALL_H

#include <linux/compiler.h>
#include <linux/types.h>

extern const u8 stp_umap_all;
#define STP_NEEDS_ALL_MAPS static const void *const stp_needs_all_maps __used = &stp_umap_all

#endif
