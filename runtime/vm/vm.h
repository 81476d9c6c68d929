/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host side of the throw-away VM.  Three roles, all of them in stap-vm:
 * the client (vm_client.c) speaks for one command; the server (vm_server.c)
 * owns QEMU, the console and the port of the agent, and passes frames between
 * clients and agent; vm_main.c starts the right ones.  libc only.
 */
#ifndef VM_H
#define VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "vm_frame.h"

/* Exit statuses of our own; anything else is the guest command's. */
enum {
	VM_STATUS_USAGE = 2,
	VM_STATUS_TIMEOUT = 123,	/* --timeout ran out */
	VM_STATUS_WARNING = 124,	/* --fail-on-warning, and the kernel warned */
	VM_STATUS_BROKEN = 125,		/* no guest, or it panicked, hung or never came up */
};

/* vm_util.c */

/* Prints "stap-vm: ..." and a newline to stderr. */
__attribute__((format(printf, 1, 2)))
void vm_message(const char *format, ...);

/* As vm_message(), and ends the process with VM_STATUS_BROKEN. */
__attribute__((noreturn, format(printf, 1, 2)))
void vm_fail(const char *format, ...);

/* As asprintf(), never NULL; the caller frees. */
__attribute__((format(printf, 1, 2)))
char *vm_format(const char *format, ...);

int64_t vm_clock_ms(void);

/* mkdir -p; returns 0, or -1 with errno. */
int vm_mkdir(const char *path);

/*
 * Runs argv with stdout to out_fd (-1: ours) in directory cwd (NULL: ours).
 * Returns its exit status, 127 when it cannot be run, 128+N for signal N.
 */
int vm_spawn(char *const argv[], int out_fd, const char *cwd);

/* As vm_spawn(), and hands its stdout to the caller, who frees; NULL when it failed. */
char *vm_spawn_read(char *const argv[], size_t *size);

/* vm_kernel.c: which kernels there are */

struct vm_kernel {
	char *release;
	char *image;		/* path of the vmlinuz */
	char *modules;		/* path of its lib/modules/RELEASE; NULL when there is none */
	bool cached;		/* from the cache, not installed */
	bool headers;		/* /lib/modules/RELEASE/build leads somewhere */
	struct vm_kernel *next;
};

/* The directory that kernels are fetched into; the caller frees. */
char *kernel_cache_dir(void);

/* All kernels of this machine, newest first; the caller frees with kernel_free(). */
struct vm_kernel *kernel_list(void);
void kernel_free(struct vm_kernel *list);

/*
 * The newest kernel that name (a release, a leading part of one such as "6.1",
 * or NULL for any) stands for, those with headers first.  NULL when there is none.
 */
struct vm_kernel *kernel_find(const char *name);

/* The kernel under DIR/boot and DIR/lib; NULL after a message when there is none. */
struct vm_kernel *kernel_in_dir(const char *dir);

/* Does this release answer to name?  "6.1" answers for 6.1.0-57 and not for 6.12. */
bool kernel_matches(const char *release, const char *name);

/* Releases with headers under /lib/modules that answer to name: the newest, or NULL. */
char *kernel_with_headers(const char *name);

/* vm_fetch.c */

/*
 * Puts the newest kernel that name stands for into the cache, from the
 * distribution's packages, unless it is on this machine.  Returns it, or NULL
 * after a message.
 */
struct vm_kernel *kernel_fetch(const char *name, bool quiet);

/* vm_modules.c, vm_initramfs.c */

/* One module to load in the guest: its name in the archive and its bytes. */
struct vm_module {
	char *name;
	char *data;
	size_t size;
	struct vm_module *next;
};

/*
 * Reads the named modules and what they depend on, in load order.  Names that
 * modules.dep does not know are taken for built in.
 */
struct vm_module *modules_collect(const struct vm_kernel *kernel, const char *const names[]);

/* Makes the initramfs in memory; returns a descriptor to it. */
int initramfs_create(const struct vm_kernel *kernel, const char *guest);

/* vm_console.c: what the guest's kernel says */

struct vm_console {
	char *text;		/* since boot, carriage returns left out */
	size_t size, room;
	size_t seen;		/* up to where marks have been looked for */
	unsigned int mark;	/* the newest mark seen */
	FILE *log;		/* copy of everything, or NULL */
};

void console_append(struct vm_console *console, const char *data, size_t size);

/* The last count lines, without our marks; the caller frees. */
char *console_tail(const struct vm_console *console, unsigned int count);

/*
 * The kernel warnings in the text from offset on, each with some lines that
 * follow; NULL when there is none.  The caller frees.
 */
char *console_warnings(const struct vm_console *console, size_t offset);

/* vm_qemu.c */

struct vm_options {
	const char *kernel, *kernel_dir;
	unsigned int smp;
	const char *memory;
	bool icount;
	bool turns;	/* emulated CPUs in one thread */
	const char *append;	/* more kernel command line, or NULL */
	const char *console;	/* file for the console's text, or NULL */
	bool verbose;		/* console to stderr as it comes */
	unsigned int boot_s, hang_s;
	const char *socket;
	const char *user;	/* user id to run the command as in the guest */
	pid_t parent;		/* end the guest when this process is gone; 0: do not */
	unsigned int timeout_s;	/* for the command; 0: none */
	bool fail_on_warning;
	bool no_refresh;
	const char *guest;	/* the guest program */
};

struct vm_qemu {
	pid_t pid;
	int agent, console, errors, monitor;	/* our ends */
};

/*
 * Starts QEMU.  It dies with the calling process.  use_kvm chooses the
 * accelerator.  Fails the process when it cannot be started.
 */
void qemu_start(struct vm_qemu *qemu, const struct vm_options *options,
		const struct vm_kernel *kernel, bool use_kvm);

/* Ends it and waits for its end. */
void qemu_end(struct vm_qemu *qemu);

/* Is hardware virtualisation here worth a try?  kvm_refuse() remembers that it was not. */
bool kvm_usable(void);
void kvm_refuse(void);

/* vm_server.c */

/*
 * Boots a guest and serves clients until the guest is stopped or dies; returns
 * a status for _exit().  client is the first one (told VM_READY or VM_DEAD), and
 * when listen_fd is -1 the guest ends with it.
 */
int server_run(const struct vm_options *options, const struct vm_kernel *kernel,
	       int client, int listen_fd);

/* vm_client.c */

/* Runs argv in the guest behind fd with our streams; returns the status to exit with. */
int client_run(int fd, const struct vm_options *options, char *const argv[]);

/* Waits until the guest behind fd is up, with progress on a terminal; 0 or a status. */
int client_wait_ready(int fd, const char *release);

/* Asks for the guest's end and waits for it; returns the status to exit with. */
int client_stop(int fd);

#endif
