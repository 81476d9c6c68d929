/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Memory where waiting for it is not possible (port.h). */
#include "port.h"

/* A function: where the size is a constant, each use of the kernel's inline one takes a relocation and an import more. */
void *stp_alloc_atomic(size_t n)
{
	return kzalloc(n, GFP_ATOMIC | __GFP_NOWARN);
}
