/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Linked in where a script asks for all mappings (STP_NEEDS_ALL_MAPS), not only those that names and stacks need. */
#include "umap.h"
#include "umap_all.h"

const u8 stp_umap_wants_all = 1;
const u8 stp_umap_all = 1;
