/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places a module wants to probe, between reading them (sites.c) and telling those in modules (site_modules.c). */
#ifndef SITES_H
#define SITES_H

#include "staprun.h"

struct wanted_site {
	unsigned probe;
	char kind;
	bool optional, exact /* rests on a build */, no_ftrace, absolute, of_wildcard;
	uint64_t offset;       /* or the address itself */
	size_t query;          /* index into the queries */
};

struct build { /* what debuginfo was of */
	const char *module, *id;
	bool other;            /* the running one differs */
};

struct sites {
	uint64_t init_start, init_end; /* code that is gone once the kernel is up; kallsyms still lists it */
	bool traceable_only;   /* names that ftrace can not trace were not looked for */
	struct wanted_site *site;
	struct symbol_query *query;
	size_t n;
	struct build *build;
	size_t nbuilds;
	char *text;
	bool *told;            /* of each site: belongs to a module already dealt with */
};

static inline bool site_in_kernel(const struct sites *st, size_t i)
{
	return st->site[i].absolute || !strcmp(st->query[st->site[i].query].module, "vmlinux");
}

/* The build that the module's sites rest on, or NULL. */
const struct build *sites_build(const struct sites *st, const char *module);

/* Names of the sites in modules, before addresses are looked up; and their addresses, after that. */
int site_modules_tell(int control, struct sites *st);
int site_modules_send(int control, struct sites *st);

#endif
