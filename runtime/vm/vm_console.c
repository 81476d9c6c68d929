/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the text of the guest's console and finds the kernel's warnings in it. */
#include <stdlib.h>
#include <string.h>

#include "vm.h"

enum { CONTEXT_LINES = 40, WARNINGS_MAX = 5 };

/* What a healthy kernel never prints. */
static const char *const bad[] = {
	"BUG:", "kernel BUG at", "WARNING:", "[ cut here ]", "Oops", "Kernel panic",
	"stack segment", "general protection", "invalid opcode", "unable to handle", "double fault",
	"Unpatched return thunk", "KASAN", "UBSAN", "KCSAN", "KFENCE", "ODEBUG",
	"possible recursive locking", "possible circular locking", "inconsistent lock state",
	"irq lock inversion", "lock order", "bad unlock balance", "held lock freed",
	"still held", "DEBUG_LOCKS_WARN_ON", "suspicious RCU usage", "Illegal context switch in RCU",
	"Invalid wait context", "detected stall", "self-detected stall", "rcu_preempt kthread starved",
	"soft lockup", "hard LOCKUP", "blocked for more than", "refcount_t:",
	"sleeping function called", "scheduling while atomic", "list_add corruption",
	"list_del corruption", "Bad page", "page allocation failure", "ftrace bug",
	"ftrace failed to modify", "suspected memory leak", "Voluntary context switch within RCU",
};

/* Kernel messages about user programs that read like the kernel's own trouble. */
static const char *const harmless[] = { "traps: " };

static const char *find(const char *line, size_t length, const char *word)
{
	return memmem(line, length, word, strlen(word));
}

static bool line_in(const char *line, size_t length, const char *const words[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (find(line, length, words[i]))
			return true;
	return false;
}

static bool line_is_bad(const char *line, size_t length)
{
	return line_in(line, length, bad, sizeof(bad) / sizeof(bad[0]))
		&& !line_in(line, length, harmless, sizeof(harmless) / sizeof(harmless[0]));
}

static size_t line_length(const struct vm_console *console, size_t at)
{
	const char *end = memchr(console->text + at, '\n', console->size - at);

	return end ? (size_t)(end - console->text) - at + 1 : console->size - at;
}

/* Looks for marks in whole lines that came since the last time. */
static void marks_look(struct vm_console *console)
{
	while (console->seen < console->size) {
		const char *line = console->text + console->seen;
		size_t length = line_length(console, console->seen);
		if (line[length - 1] != '\n')
			return;
		const char *mark = find(line, length, VM_MARK);
		if (mark)
			console->mark = strtoul(mark + strlen(VM_MARK), NULL, 10);
		console->seen += length;
	}
}

void console_append(struct vm_console *console, const char *data, size_t size)
{
	if (console->size + size + 1 > console->room) {
		console->room = 2 * (console->size + size) + 4096;
		console->text = realloc(console->text, console->room);
		if (!console->text)
			vm_fail("out of memory");
	}
	size_t from = console->size;
	for (size_t i = 0; i < size; i++)
		if (data[i] != '\r')
			console->text[console->size++] = data[i];
	if (console->log && console->size > from) {
		fwrite(console->text + from, 1, console->size - from, console->log);
		fflush(console->log);
	}
	marks_look(console);
}

char *console_tail(const struct vm_console *console, unsigned int count)
{
	struct vm_buffer tail = { 0 };
	size_t at = console->size;

	/* Back over count lines that are not marks; the line being written counts too. */
	while (at && count) {
		size_t start = at - 1;
		while (start && console->text[start - 1] != '\n')
			start--;
		if (!find(console->text + start, at - start, VM_MARK))
			count--;
		at = start;
	}
	while (at < console->size) {
		size_t length = line_length(console, at);
		if (!find(console->text + at, length, VM_MARK))
			buffer_append(&tail, console->text + at, length);
		at += length;
	}
	if (tail.size && tail.data[tail.size - 1] != '\n')
		buffer_append(&tail, "\n", 1);
	buffer_append(&tail, "", 1);
	return (char *)tail.data;
}

char *console_warnings(const struct vm_console *console, size_t offset)
{
	struct vm_buffer text = { 0 };
	unsigned int context = 0, found = 0;

	for (size_t at = offset; at < console->size; ) {
		size_t length = line_length(console, at);
		const char *line = console->text + at;
		at += length;
		if (find(line, length, VM_MARK))
			continue;
		if (!context && found < WARNINGS_MAX && line_is_bad(line, length)) {
			context = CONTEXT_LINES;
			found++;
		}
		if (context) {
			buffer_append(&text, line, length);
			context--;
		}
	}
	if (!found)
		return NULL;
	if (text.data[text.size - 1] != '\n')
		buffer_append(&text, "\n", 1);
	buffer_append(&text, "", 1);
	return (char *)text.data;
}
