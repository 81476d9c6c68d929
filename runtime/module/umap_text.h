/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings as text, as /proc/PID/maps has them.  Any context. */
#ifndef STP_UMAP_TEXT_H
#define STP_UMAP_TEXT_H

#include "umap.h"

/* "/usr/bin/bash", "[heap]", "" of anonymous memory; "r-xp", of STP_UMAP_* flags.  In scratch. */
struct stp_str stp_umap_path(struct stp_ctx *c, const struct stp_umap *m);
struct stp_str stp_umap_perms(struct stp_ctx *c, u32 flags);
/* A line of /proc/PID/maps. */
void stp_umap_put_line(struct stp_ctx *c, struct stp_sink *o, const struct stp_umap *m);

#endif
