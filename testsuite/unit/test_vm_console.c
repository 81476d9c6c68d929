/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts as a kernel warning on a guest's console, and its last lines. */
/* link: runtime/vm/vm_console.c runtime/vm/vm_util.c runtime/vm/vm_frame.c */
#include <stdlib.h>

#include "unit.h"
#include "vm.h"

static bool warns(const char *text)
{
	struct vm_console console = { 0 };

	console_append(&console, text, strlen(text));
	char *warnings = console_warnings(&console, 0);
	bool found = warnings != NULL;
	free(warnings);
	free(console.text);
	return found;
}

TEST(warnings_are_found)
{
	CHECK(warns("[ 1.0] WARNING: CPU: 0 PID: 1 at fs/read_write.c:5 f+0x1/0x2\n"));
	CHECK(warns("[ 1.0] BUG: KASAN: use-after-free in f\n"));
	CHECK(warns("[ 1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s!\n"));
	CHECK(warns("[ 1.0] WARNING: possible recursive locking detected\n"));
	CHECK(warns("[ 1.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n"));
	CHECK(warns("[ 1.0] INFO: task sh:12 blocked for more than 120 seconds.\n"));
	CHECK(warns("[ 1.0] Unpatched return thunk in use. This should not happen!\n"));
	CHECK(warns("[ 1.0] general protection fault, probably for non-canonical address\n"));
}

TEST(ordinary_lines_are_not)
{
	CHECK(!warns("[ 1.0] x: loading out-of-tree module taints kernel.\n"));
	CHECK(!warns("[ 1.0] traps: a.out[12] general protection fault ip:1 sp:2 error:0\n"));
	CHECK(!warns("[ 1.0] stap-vm: mark 12\n"));
	CHECK(!warns(""));
}

TEST(marks_are_seen_once_their_line_is_whole)
{
	struct vm_console console = { 0 };
	const char *text = "[1] a\r\n[2] stap-vm: mark 1";

	console_append(&console, text, strlen(text));
	CHECK_INT(console.mark, 0);
	console_append(&console, "7\r\n", 3);
	CHECK_INT(console.mark, 17);
	free(console.text);
}

TEST(the_tail_has_no_marks)
{
	struct vm_console console = { 0 };
	const char *text = "one\ntwo\n[2] stap-vm: mark 1\nthree\nfour";

	console_append(&console, text, strlen(text));
	char *tail = console_tail(&console, 3);
	CHECK_STR(tail, "two\nthree\nfour\n");
	free(tail);
	tail = console_tail(&console, 30);
	CHECK_STR(tail, "one\ntwo\nthree\nfour\n");
	free(tail);
	free(console.text);
}

TEST(only_what_came_later_counts)
{
	struct vm_console console = { 0 };
	const char *before = "[1] BUG: old\n", *after = "[2] fine\n";

	console_append(&console, before, strlen(before));
	size_t offset = console.size;
	console_append(&console, after, strlen(after));
	CHECK(!console_warnings(&console, offset));
	free(console.text);
}

RUN_TESTS()
