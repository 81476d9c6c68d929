/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types and functions of the target kernel and its modules: for each a chain of sources (type_source.h),
 * asked in order.  Opened at the first name that a script takes from the kernel.
 */
#ifndef STAP_TYPES_H
#define STAP_TYPES_H

#include "session.h"
#include "type_source.h"

struct dwarf_file;

/* What is known of the kernel (name NULL) or of one module. */
struct types_module {
	char *name;
	struct types *types;
	GPtrArray *sources;        /* struct type_source * */
	char *problem;             /* why there is no source, or NULL */
	bool user;                 /* a user program (types_of_file): nothing of the kernel */
	bool dwarf_asked;          /* types_want_dwarf() has been called */
};

/* The session's types; never NULL.  Whether there are any: types_module()->problem. */
struct types *session_types(struct session *s);
void types_close(struct types *t);

/* The kernel (name NULL, "kernel" or "vmlinux") or a module (`-` and `_` are the same); never NULL, but
 * with `problem` set and no sources when nothing can be had. */
struct types_module *types_module(struct types *t, const char *name);
/* Names of the modules that match a pattern: loaded ones of the running kernel, else those in the
 * modules' directory.  Free with g_ptr_array_free(TRUE). */
GPtrArray *types_module_names(struct types *t, const char *pattern);
/* Path of each module's file in the target's directory; free with g_hash_table_destroy(). */
GHashTable *types_module_files(struct types *t);
/* True when that module is built into the kernel. */
bool types_module_builtin(struct types *t, const char *name);

/* A named type, of the module or else of the kernel; as type_source_ops.find_type. */
const struct ctype *types_find(struct types_module *m, enum ctype_kind kind, const char *name, unsigned *ndefs);
bool types_func(struct types_module *m, const char *name, struct cfunc *ret);
void types_each_func(struct types_module *m, bool (*match)(void *data, const char *name), cfunc_fn fn, void *data);

/* The value of an enumerator (of the module or else of the kernel); false when there is none. */
bool types_enumerator(struct types_module *m, const char *name, int64_t *value);
/* The enumerators of an enum type, in order of declaration. */
void types_each_enumerator(const struct ctype *t, enumerator_fn fn, void *data);

/*
 * A type as written in a script: "task_struct", "struct file", "unsigned long", "char *".  A bare name is
 * a typedef or base type first, then a struct, union or enum.  Stars behind it make
 * pointers.  The base types of C (and size_t, ssize_t ...) are known whatever the sources say.  NULL when
 * there is none.
 */
const struct ctype *types_named(struct types_module *m, const char *text);
/* Names near which a mistyped one may be: appends const char *. */
void types_names(struct types_module *m, GPtrArray *names);
/* A pointer to `t`, owned by `types`. */
const struct ctype *types_pointer_to(struct types *types, const struct ctype *t);

/*
 * types_dwarf.c.  What is known of a file with DWARF: for the kernel or a module, that module with the DWARF behind its
 * other sources; for a user program a module of its own.  Never NULL.
 */
struct types_module *types_of_file(struct types *t, struct dwarf_file *f);
/* The types in a file's DWARF, NULL when it has none; belongs to `t`. */
struct type_source *dwarf_file_types(struct types *t, struct dwarf_file *f);
/* Is debug information of the kernel on this machine? A doubtful name is no reason to load it from a server. */
bool types_dwarf_at_hand(struct session *s);
/* Looks for debug information at hand of the kernel or a module, and puts its types behind the other sources; false when
 * there is none, or at the second call. */
bool types_want_dwarf(struct types_module *m);
void types_dwarf_close(struct types *t);
/* A GDestroyNotify: the module and the sources that are its own (those of DWARF are not). */
void types_module_free(gpointer module);

/* The module's or kernel's BTF among its sources, or NULL. */
struct type_source *types_btf(const struct types_module *m);

/* types_load.c: fills the sources or the problem of a module. */
void types_load(struct types_module *m, struct kernel_target *k);

struct types {
	struct session *session;
	struct types_module *kernel;
	GHashTable *modules;       /* name (with _) to struct types_module */
	struct module_pack *pack;  /* module_pack.h, opened at first use */
	GHashTable *dwarf;         /* struct dwarf_file to the source of its types */
	GHashTable *programs;      /* struct dwarf_file of a user program to its struct types_module */
	GHashTable *module_line;   /* module to its line in the list of modules, made at first use */
	GHashTable *pointers;      /* ctype to pointer to it, made by types_pointer_to() */
};

#endif
