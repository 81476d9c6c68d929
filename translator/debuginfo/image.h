/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes the BTF out of kernel images and modules, compressed or not. */
#ifndef STAP_IMAGE_H
#define STAP_IMAGE_H

#include "blob.h"

/*
 * Reads the .BTF section of an ELF file (vmlinux, module, also compressed) or of the kernel inside a boot
 * image.  *build_id (may be NULL) gets the image's build id in lower-case hex or NULL; g_free() it.
 * Returns 0, or -1 with *err.
 */
int image_btf(const char *path, struct blob *ret, char **build_id, char **err);

/* image_unpack.c: the kernel or module inside a compressed file or boot image, as a mapped file in
 * memory.  -1 with *err when there is nothing to unpack or the tool for it is missing. */
int image_unpack(int fd, const char *path, struct blob *ret, char **err);

#endif
