/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One tiny module built by the kernel's own build system, to learn from. */
#ifndef STAP_KIT_MAKE_H
#define STAP_KIT_MAKE_H

#include "kernel_kit.h"

/* Builds the tiny module below `scratch` and fills `kit`'s commands, work_dir
 * and (in `entry`) template.o and module-common.o. `final` is where `entry` will
 * be later: paths of what lies in it are written so. 0, or -1 with *err. */
int kit_make(struct kernel_target *k, const char *scratch, const char *entry,
	     const char *final, struct kernel_kit *kit, char **err);

/* Frees the fields, not the struct. */
void kit_made_clear(struct kernel_kit *kit);

#endif
