/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of kernel code: tables from the module file's section .stap_lines (runtime/abi/stp_lines.h), given to the module with
 * the addresses that their code has here.  Those of another build, or of a module that is not loaded, are left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "staprun.h"
#include "stp_lines.h"

/* A head that fits into what is left, with its texts terminated. */
static bool head_ok(const struct stp_lines_head *h, size_t left)
{
	return left >= sizeof(*h) && h->magic == STP_LINES_MAGIC && h->size <= left && h->size >= sizeof(*h) && h->size % 8 == 0 &&
	       h->table_size <= h->size - sizeof(*h) && memchr(h->module, 0, sizeof(h->module)) &&
	       memchr(h->symbol, 0, sizeof(h->symbol)) && memchr(h->build_id, 0, sizeof(h->build_id));
}

static bool right_build(const struct stp_lines_head *h)
{
	char id[2 * BUILD_ID_MAX + 1];

	if (!h->build_id[0] || !running_build_id(h->module, id, sizeof(id)) || !strcmp(id, h->build_id))
		return true;
	warn("no source lines of %s: they are those of build %s, and what runs here is %s", h->module, h->build_id, id);
	return false;
}

/* Where the code begins here; 0 when it is not there. */
static uint64_t code_address(const struct stp_lines_head *h)
{
	struct symbol_query q = { .module = h->module, .symbol = h->symbol };
	uint64_t ret = 0;

	if (strcmp(h->module, "vmlinux") != 0)
		return module_section_address(h->module, h->symbol, &ret) ? ret + h->offset : 0;
	if (!kallsyms_resolve(&q, 1) && q.naddr)
		ret = q.addr[0] + h->offset;
	kallsyms_free(&q, 1);
	return ret;
}

int lines_send(int control, const struct image *im)
{
	size_t size = 0, at = 0;
	unsigned char *sec = image_section(im, ".stap_lines", &size);

	while (sec && at < size) {
		struct stp_lines_head h;
		struct stp_lines msg;

		memcpy(&h, sec + at, size - at < sizeof(h) ? size - at : sizeof(h));
		if (!head_ok(&h, size - at))
			return complain("the module's tables of source lines are damaged");
		msg = (struct stp_lines){ .length = h.length, .size = h.table_size, .table = (uintptr_t)(sec + at + sizeof(h)) };
		at += h.size;
		if (!right_build(&h) || !(msg.addr = code_address(&h)))
			continue;
		if (ioctl(control, STP_IOC_LINES, &msg))
			return complain("cannot pass the source lines of %s to the module: %s", h.module, strerror(errno));
		chat(2, "source lines of %s %s: %u KiB", h.module, h.symbol, h.table_size >> 10);
	}
	return 0;
}
