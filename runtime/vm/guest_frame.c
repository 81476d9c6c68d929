/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest is linked statically from guest_*.c; this is its copy of the shared framing. */
#include "vm_frame.c"
