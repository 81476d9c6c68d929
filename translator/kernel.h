/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel that a script is built for: where its headers, images and modules
 * are, and what its configuration says. Opening one needs no headers: what can
 * be done without them (passes 1 to 3 from BTF) must not fail for their sake. */
#ifndef STAP_KERNEL_H
#define STAP_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <glib.h>

struct kernel_target {
	char *release;		/* as `uname -r` prints it */
	char *arch;		/* "x86_64", "arm64", ... */
	char *srcarch;		/* directory under arch/: "x86", "arm64" */
	bool is_running;	/* the kernel we run on */
	char *build_dir;	/* headers tree, absolute, or NULL: see headers_problem */
	char *headers_problem;	/* why build_dir is NULL and what to install */
	char *build_id;		/* lower-case hex, or NULL when not known (dwarf_kernel() looks into the
				 * boot image: a debug file's own says nothing) */
	char *boot_image;	/* vmlinuz, or NULL */
	char *vmlinux;		/* ELF image (may have BTF only), or NULL */
	char *vmlinux_debug;	/* ELF image from a debug package, or NULL */
	char *debug_denied;	/* a place for it that may not be read, or NULL */
	char *image_denied;	/* a boot image or BTF that may not be read, or NULL */
	char *btf_file;		/* raw BTF (/sys/kernel/btf/vmlinux when running), or NULL */
	char *modules_dir;	/* .../lib/modules/RELEASE, or NULL */
	char *config;		/* private: kernel_config() */
	GHashTable *config_known; /* private: what it has found, or NULL for what is not there */
};

/* Opens the kernel named by `spec`: NULL for the running one, a release
 * ("6.1.0-57-amd64", or the start of one that is installed, "6.1"), or the path of a build directory. A release need not have
 * headers here; a path must be a usable tree. Returns 0, or -1 with *err. */
int kernel_target_open(const char *spec, struct kernel_target **ret, char **err);

/* NULL is allowed. */
void kernel_target_close(struct kernel_target *k);

/* 0 when there are headers, and of the right build as far as names tell; else
 * -1 with what to install. */
int kernel_need_headers(const struct kernel_target *k, char **err);

/* Value of a configuration symbol ("CONFIG_X"): "y", "m", a number, a string in
 * its quotes; NULL when it is off or no configuration is at hand. Owned by `k`. */
const char *kernel_config(struct kernel_target *k, const char *symbol);

/* A string that changes when the headers do (release, and size and time of the
 * generated files). Owned by the caller. Needs headers. */
char *kernel_headers_identity(const struct kernel_target *k);

#endif
