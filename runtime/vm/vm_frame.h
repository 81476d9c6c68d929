/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The framed protocol of the throw-away VM: client (stap-vm run, exec) to
 * server (the process that owns QEMU) over a local socket, and server to the
 * agent in the guest over a virtio-serial port.  Both legs use the same frames;
 * the server only renumbers channels.  One channel is one command.
 */
#ifndef VM_FRAME_H
#define VM_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	VM_FRAME_MAX = 4 << 20,		/* bytes of payload in one frame */
	VM_CHUNK = 64 << 10,		/* bytes of stream data in one frame */
	VM_WINDOW = 256 << 10,		/* stdin bytes sent and not yet acknowledged */
	VM_PORT_NAME_MAX = 32,
};

#define VM_PORT_NAME "stap.agent"
#define VM_MARK "stap-vm: mark "	/* how the agent marks the console */

/* Kinds of frames, with who sends them and what they carry. */
enum vm_frame_type {
	VM_EXEC = 1,	/* client: struct vm_exec_head and its strings */
	VM_STDIN,	/* client: bytes */
	VM_STDIN_END,	/* client: nothing */
	VM_SIGNAL,	/* client: struct vm_signal */
	VM_PING,	/* server: nothing */
	VM_READY,	/* agent: the kernel release; server: the same, to a client */
	VM_STDOUT,	/* agent: bytes */
	VM_STDERR,	/* agent: bytes */
	VM_STDIN_ACK,	/* agent: uint32_t, bytes consumed */
	VM_EXIT,	/* agent: struct vm_exit */
	VM_FAILED,	/* agent: text, the command could not be started */
	VM_PONG,	/* agent: nothing */
	VM_WARNINGS,	/* server: text, kernel warnings seen during the command */
	VM_DEAD,	/* server: text, why the guest is gone */
	VM_STOP,	/* client: nothing; ends the guest */
	VM_NMI,		/* client: nothing; sends the guest's CPUs an NMI */
};

struct vm_frame_head {
	uint32_t size;		/* of the payload that follows */
	uint16_t type;
	uint16_t channel;
};

/* Followed by argc + envc + 1 NUL-terminated strings: cwd, argv, environ. */
struct vm_exec_head {
	uint32_t flags;
	uint32_t uid, gid;
	uint32_t argc, envc;
};

enum {
	VM_EXEC_REFRESH = 1,	/* drop what the guest has cached of the host's files */
};

enum {
	VM_SIGNAL_GROUP = 1,	/* the whole process group, as ^C does */
	VM_SIGNAL_EXPLAIN = 2,	/* say first, on its stderr, what the command's processes wait for */
};

struct vm_signal {
	uint32_t number;
	uint32_t flags;
};

struct vm_exit {
	uint32_t status;	/* as from waitpid() */
	uint32_t mark;		/* number of the console mark written just before */
};

/* A byte queue: grows as needed, consumed from the front. */
struct vm_buffer {
	unsigned char *data;
	size_t start, size, room;
};

struct vm_frame {
	uint16_t type, channel;
	uint32_t size;
	const unsigned char *payload;	/* inside the buffer, until it is next touched */
};

void buffer_free(struct vm_buffer *buffer);
void buffer_append(struct vm_buffer *buffer, const void *data, size_t size);
void buffer_consume(struct vm_buffer *buffer, size_t size);
const unsigned char *buffer_bytes(const struct vm_buffer *buffer);

/* Reads what fd has, once.  Returns the count, 0 at end of file, -1 with errno. */
ssize_t buffer_fill(struct vm_buffer *buffer, int fd, size_t limit);

/* Writes as much as fd takes.  Returns 0, or -1 with errno (never EAGAIN). */
int buffer_flush(struct vm_buffer *buffer, int fd);

void frame_append(struct vm_buffer *buffer, enum vm_frame_type type, unsigned int channel,
		  const void *payload, size_t size);

/*
 * Takes the next whole frame off the buffer.  Returns 1 with *frame set, 0 when
 * more bytes are needed, -1 when the stream makes no sense.  The payload stays
 * valid until the buffer is appended to or filled.
 */
int frame_next(struct vm_buffer *buffer, struct vm_frame *frame);

#endif
