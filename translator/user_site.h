/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in user programs that probes are attached to, and whom they are for.  They travel as path, build id and
 * offset in the file; the loader opens the file and compares its build id.
 */
#ifndef STAP_USER_SITE_H
#define STAP_USER_SITE_H

#include "provider.h"

struct user_elf; /* user_elf.h */
struct dwarf_file; /* debuginfo/dwarf_file.h */

/* A file that probes are in; one a path. */
struct user_file {
	unsigned index;            /* in s->user_files */
	const char *path, *build_id; /* build_id NULL: it has none */
};

struct user_site {
	uint64_t offset, semaphore; /* in the file; semaphore 0: none; where a function is left: enum stp_leaves */
	const char *name;          /* of the function or mark */
	bool optional;
};

/* Places of a probe in one file. */
struct user_group {
	struct user_file *file;    /* NULL: events of any program (ATTACH_TASK) */
	struct user_file *program; /* only in processes that run it; NULL: any */
	int pid;                   /* only in this process; 0: any */
	struct user_site *sites;
	size_t nsites;
};

/* What a point's beginning names: process("a").library("b"), process(123) ... */
struct user_object {
	struct user_elf *elf;      /* NULL: any program (process.begin) */
	struct user_elf *program;  /* with .library: the program, NULL: any */
	int pid;
};

/* The text of the beginning for pp(): `process("/bin/a").library("/lib/b")`. */
const char *user_object_text(struct session *s, const struct user_object *o);

/* The file in the session's table. */
struct user_file *user_file_get(struct session *s, const struct user_elf *ue);
/*
 * Gives the probe its places: n addresses with names in an object (as sites of one group).  -1 after diag_error: an address
 * is not in the file.
 */
struct user_place {
	const char *name;
	uint64_t addr, semaphore;  /* semaphore: an address as well */
	uint64_t delta;            /* of where a function is left: enum stp_leaves */
	struct dwarf_file *file;   /* where there is debug information, else NULL */
	uint64_t die;              /* of the function or inlined instance around, 0: not known */
	uint32_t cu;               /* its unit in the file's index */
	const uint64_t *callers;   /* where the handler runs only for calls that return to one of these addresses */
	size_t ncallers;
};
int user_probe_places(struct session *s, struct probe *p, const struct user_object *o, const struct user_place *places, size_t n,
		      bool optional);
/* Appends the section .stap_programs. */
void user_sites_emit(struct session *s, GString *out);

#endif
