/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte queues and the frames in them; used by the host program and by the guest's agent. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm_frame.h"

void buffer_free(struct vm_buffer *buffer)
{
	free(buffer->data);
	memset(buffer, 0, sizeof(*buffer));
}

const unsigned char *buffer_bytes(const struct vm_buffer *buffer)
{
	return buffer->data + buffer->start;
}

/* Makes room for more bytes behind what is queued. */
static void buffer_reserve(struct vm_buffer *buffer, size_t more)
{
	if (buffer->start + buffer->size + more <= buffer->room)
		return;
	if (buffer->start) {
		memmove(buffer->data, buffer->data + buffer->start, buffer->size);
		buffer->start = 0;
	}
	if (buffer->size + more <= buffer->room)
		return;

	size_t room = buffer->room ? buffer->room : 4096;
	while (room < buffer->size + more)
		room *= 2;
	unsigned char *data = realloc(buffer->data, room);
	if (!data) {
		fprintf(stderr, "stap-vm: out of memory\n");
		exit(125);
	}
	buffer->data = data;
	buffer->room = room;
}

void buffer_append(struct vm_buffer *buffer, const void *data, size_t size)
{
	if (!size)
		return;
	buffer_reserve(buffer, size);
	memcpy(buffer->data + buffer->start + buffer->size, data, size);
	buffer->size += size;
}

void buffer_consume(struct vm_buffer *buffer, size_t size)
{
	buffer->start += size;
	buffer->size -= size;
	if (!buffer->size)
		buffer->start = 0;
}

ssize_t buffer_fill(struct vm_buffer *buffer, int fd, size_t limit)
{
	buffer_reserve(buffer, limit);
	ssize_t got;
	do
		got = read(fd, buffer->data + buffer->start + buffer->size, limit);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		buffer->size += got;
	return got;
}

int buffer_flush(struct vm_buffer *buffer, int fd)
{
	while (buffer->size) {
		ssize_t put = write(fd, buffer_bytes(buffer), buffer->size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (put < 0)
			return -1;
		if (put == 0)
			return 0;
		buffer_consume(buffer, put);
	}
	return 0;
}

void frame_append(struct vm_buffer *buffer, enum vm_frame_type type, unsigned int channel,
		  const void *payload, size_t size)
{
	struct vm_frame_head head = {
		.size = size, .type = type, .channel = channel,
	};
	buffer_append(buffer, &head, sizeof(head));
	buffer_append(buffer, payload, size);
}

int frame_next(struct vm_buffer *buffer, struct vm_frame *frame)
{
	struct vm_frame_head head;

	if (buffer->size < sizeof(head))
		return 0;
	memcpy(&head, buffer_bytes(buffer), sizeof(head));
	if (head.size > VM_FRAME_MAX || head.type < VM_EXEC || head.type > VM_NMI)
		return -1;
	if (buffer->size < sizeof(head) + head.size)
		return 0;
	frame->type = head.type;
	frame->channel = head.channel;
	frame->size = head.size;
	frame->payload = buffer_bytes(buffer) + sizeof(head);
	/* Not buffer_consume(): a buffer that empties would restart, the payload must stay. */
	buffer->start += sizeof(head) + head.size;
	buffer->size -= sizeof(head) + head.size;
	return 1;
}
