/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types from headers. */
#ifndef STAP_TARGET_HEADER_H
#define STAP_TARGET_HEADER_H

#include "debuginfo/types.h"

/*
 * The types that "<a.h><b.h>" declare: headers of the target kernel, or of user space.  The first time they are
 * compiled (about a second); then they come from the cache.  Belongs to the session; NULL with *err (g_free() it): the
 * compiler's first complaint.
 */
struct types_module *header_types(struct session *s, const char *list, bool kernel, char **err);

#endif
