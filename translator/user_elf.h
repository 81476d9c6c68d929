/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF program or library as its own tables describe it: functions, marks (.note.stapsdt), stubs of the procedure
 * linkage table, needed libraries.  Addresses are those of the file's program headers.
 */
#ifndef STAP_USER_ELF_H
#define STAP_USER_ELF_H

#include <gelf.h>
#include "session.h"

struct user_func {
	const char *name;
	uint64_t addr, size;
	bool global;               /* not local to its source file */
	bool is_ifunc;             /* picks another function when the program starts */
};

struct user_mark {
	const char *provider, *name, *args; /* args: as the note has them, "" for none */
	uint64_t addr, semaphore;  /* semaphore 0: none */
};

struct user_plt {
	const char *name;
	uint64_t addr;
};

struct user_elf {
	const char *path;          /* without symbolic links */
	const char *build_id;      /* hexadecimal, NULL when it has none */
	bool is_32bit;
	bool is_library;           /* the kernel never starts it as a program */
	GArray *funcs;             /* struct user_func, by address; user_elf_funcs() */
	GArray *marks;             /* struct user_mark; user_elf_marks() */
	GArray *plts;              /* struct user_plt; user_elf_plts() */
	const char *interp;        /* dynamic linker, NULL */
	const char *rpath, *runpath, *soname;
	GPtrArray *needed;         /* names of libraries, const char * */
	/* private */
	const char *problem;
	struct Dwfl *dwfl;
	struct Dwfl_Module *module;
	void *elf;                 /* Elf * */
};

/* Calls fn for every symbol that the program defines, with its name (perhaps a version behind an `@`) and its address in the
 * file, until it returns false. */
void user_elf_each_symbol(struct user_elf *ue, bool (*fn)(void *data, const char *name, const GElf_Sym *sym, uint64_t addr), void *data);

/* Opened once a session, and closed by session_free().  NULL: *why (in the arena) says what is wrong with the file. */
struct user_elf *user_elf_open(struct session *s, const char *path, const char **why);
/* Has it a symbol table besides the dynamic linker's? */
bool user_elf_has_symtab(const struct user_elf *ue);
/* Functions of .symtab, else .dynsym with .gnu_debugdata; of separate debug files as well. */
const GArray *user_elf_funcs(struct session *s, struct user_elf *ue);
const GArray *user_elf_marks(struct session *s, struct user_elf *ue);
const GArray *user_elf_plts(struct session *s, struct user_elf *ue);
/* The value of a data symbol; false when there is none. */
bool user_elf_symbol(struct user_elf *ue, const char *name, uint64_t *addr);
/* user_elf_data.c: a variable of that name, its address and size (0: not known); and the names of all, to be freed. */
bool user_elf_object(struct user_elf *ue, const char *name, uint64_t *addr, uint64_t *size);
GPtrArray *user_elf_objects(struct session *s, struct user_elf *ue);
/* Are these bytes in memory when it runs? */
bool user_elf_loaded(const struct user_elf *ue, uint64_t addr, uint64_t size);
/* The lowest address of its executable segments: what is at mm_struct.start_code when it runs. */
uint64_t user_elf_code(const struct user_elf *ue);
/* The address of a byte of the file's code; false when it is not in an executable segment. */
bool user_elf_address(const struct user_elf *ue, uint64_t offset, uint64_t *addr);
/* Where the byte at addr is in the file; false when it is not in it, or (code) not executable. */
bool user_elf_offset(const struct user_elf *ue, uint64_t addr, bool code, uint64_t *offset);

#endif
