/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The framing between host and guest. */
/* link: runtime/vm/vm_frame.c */
#include "unit.h"
#include "vm_frame.h"

TEST(frames_come_out_as_they_went_in)
{
	struct vm_buffer buffer = { 0 };
	struct vm_frame frame;

	frame_append(&buffer, VM_STDOUT, 3, "hello", 5);
	frame_append(&buffer, VM_PING, 0, NULL, 0);
	CHECK_INT(frame_next(&buffer, &frame), 1);
	CHECK_INT(frame.type, VM_STDOUT);
	CHECK_INT(frame.channel, 3);
	CHECK_INT(frame.size, 5);
	CHECK(!memcmp(frame.payload, "hello", 5));
	CHECK_INT(frame_next(&buffer, &frame), 1);
	CHECK_INT(frame.type, VM_PING);
	CHECK_INT(frame.size, 0);
	CHECK_INT(frame_next(&buffer, &frame), 0);
	buffer_free(&buffer);
}

TEST(bytes_may_come_one_by_one)
{
	struct vm_buffer whole = { 0 }, dripped = { 0 };
	struct vm_frame frame;
	int found = 0;

	frame_append(&whole, VM_STDIN, 9, "xyz", 3);
	for (size_t i = 0; i < whole.size; i++) {
		CHECK_INT(found, 0);
		buffer_append(&dripped, buffer_bytes(&whole) + i, 1);
		found = frame_next(&dripped, &frame);
	}
	CHECK_INT(found, 1);
	CHECK(!memcmp(frame.payload, "xyz", 3));
	buffer_free(&whole);
	buffer_free(&dripped);
}

TEST(nonsense_is_refused)
{
	struct vm_buffer buffer = { 0 };
	struct vm_frame_head head = { VM_FRAME_MAX + 1, VM_STDOUT, 1 };
	struct vm_frame frame;

	buffer_append(&buffer, &head, sizeof(head));
	CHECK_INT(frame_next(&buffer, &frame), -1);
	buffer_free(&buffer);
	head.size = 0;
	head.type = 999;
	buffer_append(&buffer, &head, sizeof(head));
	CHECK_INT(frame_next(&buffer, &frame), -1);
	buffer_free(&buffer);
}

TEST(a_queue_grows_and_is_consumed)
{
	struct vm_buffer buffer = { 0 };
	char chunk[1000];

	memset(chunk, 'a', sizeof(chunk));
	for (int i = 0; i < 50; i++) {
		buffer_append(&buffer, chunk, sizeof(chunk));
		if (i % 3 == 2)
			buffer_consume(&buffer, sizeof(chunk));
	}
	CHECK_INT(buffer.size, 34 * sizeof(chunk));
	CHECK_INT(buffer_bytes(&buffer)[buffer.size - 1], 'a');
	buffer_free(&buffer);
}

RUN_TESTS()
