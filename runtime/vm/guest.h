/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest side of the throw-away VM: one static program that is the init of
 * the initramfs (guest_init.c), makes the root file system (guest_mount.c,
 * guest_module.c) and then serves commands from the host (guest_agent.c,
 * guest_command.c, guest_tasks.c) until the host ends the VM.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vm_frame.h"

/* What the host wrote into the initramfs beside us. */
#define GUEST_CONFIG "/stap-vm.conf"
#define GUEST_MODULES "/modules.load"

/* Prints to the console and powers the VM off: for what leaves no working guest. */
__attribute__((noreturn, format(printf, 1, 2)))
void guest_fail(const char *format, ...);

/* Loads the modules that the initramfs lists, in order. */
void modules_load(void);

/* Mounts the host's files under a scratch overlay and moves there. */
void root_enter(void);

/* Mounts what a running system has (proc, sys, tmpfs ...); the host's view is hidden. */
void system_mount(void);

/* Writes text to a file that exists; returns 0 or -1. */
int file_write(const char *path, const char *text);

/* Opens the virtio-serial port of the agent; waits for it to appear. */
int port_open(void);

/* Serves the port until it goes. */
void agent_run(int port);

/* One command that runs, or has ended with output still on its way. */
struct guest_command {
	struct guest_command *next;
	unsigned int channel;
	pid_t pid;
	int in, out, err;		/* our ends of its pipes, -1 once closed */
	struct vm_buffer input;		/* stdin that the command has not taken yet */
	bool input_end;			/* close stdin when input is empty */
	bool exited;
	int status;			/* from waitpid(), once exited */
	int64_t drain_until;		/* monotonic ms: when to stop waiting for output */
};

/*
 * Starts what a VM_EXEC frame asks for.  Returns the command, or NULL with the
 * reason in error.
 */
struct guest_command *command_start(const struct vm_frame *frame, char *error, size_t room);

/* Closes and frees; whatever is left of the command goes on by itself. */
void command_free(struct guest_command *command);

void command_signal(struct guest_command *command, const struct vm_signal *signal);

/* Adds name, state and kernel stack of each thread of a session, as text of many lines. */
void tasks_explain(struct vm_buffer *out, pid_t session);

#endif
