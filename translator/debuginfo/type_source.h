/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One source of types and functions: the BTF or the DWARF of a kernel or a module.  types.h asks the
 * sources of a module in order and takes the first that answers.
 */
#ifndef STAP_TYPE_SOURCE_H
#define STAP_TYPE_SOURCE_H

#include "ctype.h"

/* A function of the target as a source knows it. */
struct cfunc {
	const char *name;
	const char *module;        /* NULL: the kernel itself */
	const struct ctype *proto; /* CTYPE_FUNC, or NULL when the source has none or several */
	unsigned nprotos;          /* how many different prototypes go by this name */
};

/* Called for every match, in order of names; a function with several prototypes once. */
typedef void (*cfunc_fn)(void *data, const char *name);

/* Called for every enumerator of an enum. */
typedef void (*enumerator_fn)(void *data, const char *name, int64_t value);

struct type_source_ops {
	/* Fills the members or parameters of a type that this source made. */
	void (*complete)(struct type_source *src, struct ctype *t);
	/* The named type of that kind, or NULL.  A complete definition is preferred; *ndefs (may be NULL)
	 * tells how many different definitions there are. */
	const struct ctype *(*find_type)(struct type_source *src, enum ctype_kind kind, const char *name, unsigned *ndefs);
	/* True and *ret when there is such a function. */
	bool (*find_func)(struct type_source *src, const char *name, struct cfunc *ret);
	/* Every function whose name `match` accepts; names live as long as the source. */
	void (*each_func)(struct type_source *src, bool (*match)(void *data, const char *name), cfunc_fn fn, void *data);
	/* The value of an enumerator of any enum; false when there is none of that name. */
	bool (*find_enumerator)(struct type_source *src, const char *name, int64_t *value);
	/* The enumerators of a CTYPE_ENUM of this source, in order of declaration. */
	void (*each_enumerator)(struct type_source *src, const struct ctype *t, enumerator_fn fn, void *data);
	/* Appends names of types of that kind (const char *), for suggestions. */
	void (*type_names)(struct type_source *src, enum ctype_kind kind, GPtrArray *names);
	void (*close)(struct type_source *src);
};

struct type_source {
	const struct type_source_ops *ops;
	const char *kind;          /* "BTF", "DWARF", for messages */
	struct types_module *program; /* the user program that it is of, or NULL: types of the kernel */
};

#endif
