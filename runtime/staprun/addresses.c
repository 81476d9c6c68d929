/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of data that a module wants to know: read from its section .stap_addresses (runtime/abi/stp.h has the
 * format), looked up in the running kernel, and sent down in one piece.  What is not there stays 0, and the handler
 * that wants it says so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "staprun.h"

struct wanted_address {
	const char *module, *symbol;
	uint64_t offset;
};

/* "build MODULE BUILD-ID": what the addresses in it rest on. */
struct wanted_build {
	const char *module, *id;
};

struct addresses {
	char *text;
	struct wanted_address *want;
	struct wanted_build *build;
	size_t nbuilds;
	struct symbol_query *query;
	uint64_t *addr;
	size_t n;
};

static void addresses_free(struct addresses *as)
{
	if (as->query)
		kallsyms_free(as->query, as->n);
	free(as->query);
	free(as->want);
	free(as->build);
	free(as->addr);
	free(as->text);
}

/* "MODULE SYMBOL+OFFSET", terminated; splits the line in place. */
static int parse_line(struct addresses *as, char *line)
{
	struct wanted_address *w = &as->want[as->n];
	char *save, *module = strtok_r(line, " ", &save), *symbol = strtok_r(NULL, " ", &save), *plus;

	if (!symbol)
		return -1;
	if (!strcmp(module, "build")) {
		struct wanted_build *b = &as->build[as->nbuilds++];

		b->module = symbol;
		b->id = strtok_r(NULL, " ", &save);
		return b->id ? 0 : -1;
	}
	plus = strrchr(symbol, '+');
	if (!plus)
		return -1;
	*plus = '\0';
	*w = (struct wanted_address){ .module = module, .symbol = symbol, .offset = strtoull(plus + 1, NULL, 0) };
	as->query[as->n] = (struct symbol_query){ .module = module, .symbol = symbol, .data = strcmp(symbol, "_stext") != 0 };
	if (!strncmp(symbol, "percpu:", 7)) {
		as->query[as->n].symbol = w->symbol = symbol + 7;
		as->query[as->n].percpu = true;
	}
	as->n++;
	return 0;
}

static int parse_addresses(struct addresses *as, const struct image *im)
{
	size_t size = 0, lines = 1;
	const unsigned char *sec = image_section(im, ".stap_addresses", &size);
	char *save, *line;

	memset(as, 0, sizeof(*as));
	if (!sec || !size)
		return 0;
	as->text = malloc(size + 1);
	if (!as->text)
		return complain("out of memory");
	for (size_t i = 0; i < size; i++) {
		as->text[i] = sec[i] ? sec[i] : '\n';
		lines += as->text[i] == '\n';
	}
	as->text[size] = '\0';
	as->want = calloc(lines, sizeof(*as->want));
	as->build = calloc(lines, sizeof(*as->build));
	as->query = calloc(lines, sizeof(*as->query));
	as->addr = calloc(lines, sizeof(*as->addr));
	if (!as->want || !as->build || !as->query || !as->addr)
		return complain("out of memory");
	for (line = strtok_r(as->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (parse_line(as, line))
			return complain("the module's list of addresses is damaged");
	return 0;
}

/* Debuginfo of another build tells wrong places: what rests on it stays unknown. */
static void drop_other_builds(struct addresses *as)
{
	char id[2 * STP_BUILD_ID_MAX + 1];

	for (size_t i = 0; i < as->nbuilds; i++) {
		const struct wanted_build *b = &as->build[i];
		bool kernel = !strcmp(b->module, "vmlinux");

		if (!running_build_id(b->module, id, sizeof(id)) || !strcmp(id, b->id))
			continue;
		warn("the debuginfo of %s%s is of another build: its build id is %s, that of the running %s is %s; "
		     "variables that rest on it are not known", kernel ? "the kernel" : "module ", kernel ? "" : b->module, b->id,
		     kernel ? "kernel" : "module", id);
		for (size_t k = 0; k < as->n; k++)
			if (!strcmp(as->want[k].module, b->module))
				as->addr[k] = 0;
	}
}

/* A name that several things have is no address: the first is as good as a guess. */
static void take_addresses(struct addresses *as)
{
	for (size_t i = 0; i < as->n; i++) {
		const struct wanted_address *w = &as->want[i];
		uint64_t base = 0;

		if (strcmp(w->module, "vmlinux") != 0 && !as->query[i].percpu)
			module_section_address(w->module, w->symbol, &base);
		if (!base && as->query[i].naddr == 1)
			base = as->query[i].addr[0];
		as->addr[i] = base ? base + w->offset : 0;
	}
}

int addresses_send(int control, const struct image *im)
{
	struct addresses as;
	int rc = parse_addresses(&as, im);

	if (!rc && as.n)
		rc = kallsyms_resolve(as.query, as.n);
	if (!rc && as.n) {
		struct stp_addresses msg = { .n = as.n };

		take_addresses(&as);
		drop_other_builds(&as);
		msg.addresses = (uintptr_t)as.addr;
		if (ioctl(control, STP_IOC_ADDRESSES, &msg))
			rc = complain("cannot pass the addresses of variables to the module: %s", strerror(errno));
	}
	addresses_free(&as);
	return rc;
}
