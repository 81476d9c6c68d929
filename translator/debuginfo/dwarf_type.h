/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF as a source of C types (type_source.h).  A type entry becomes a struct ctype at its first use; the two know
 * each other.  C++ and Rust map to what a script can use of them: a base class is an anonymous member, a reference a
 * pointer, the variants of a Rust enum members that lie on top of each other.
 */
#ifndef STAP_DWARF_TYPE_H
#define STAP_DWARF_TYPE_H

#include "dwarf_die.h"
#include "type_source.h"

struct dwarf_index; /* dwarf_index.h */

/* The types of one file.  `dw` and `ix` are borrowed and have to live longer; without an index (NULL) names are found by
 * a look through all units.  Free with ->ops->close(). */
struct type_source *dwarf_types_new(Dwarf *dw, struct dwarf_index *ix);

/* The type that a type entry stands for. */
const struct ctype *dwarf_type(struct type_source *src, Dwarf_Die *type);
/* The type of a variable, parameter, member ...: its DW_AT_type or that of its origin; void when there is none. */
const struct ctype *dwarf_type_of(struct type_source *src, Dwarf_Die *die);
/* A function's type, CTYPE_FUNC; the parameters are those of the entry or its origin, in order. */
const struct ctype *dwarf_func_type(struct type_source *src, Dwarf_Die *func);
/* The entry a type was made from; false for one that has none (inner dimensions of arrays). */
bool dwarf_type_die(const struct ctype *t, Dwarf_Die *die);

/* ---- between dwarf_type*.c ---- */

struct dw_node {
	struct ctype t;            /* first */
	Dwarf_Die die;
	unsigned dim;              /* of an array with several dimensions */
};

struct dw_types {
	struct type_source src;    /* first */
	Dwarf *dw;
	struct dwarf_index *index; /* or NULL */
	GHashTable *nodes;         /* address of an entry to struct dw_node */
	GPtrArray *made;           /* every struct dw_node */
	GPtrArray *strings;        /* names made up */
	struct dw_names *names;    /* dwarf_type_names.c; NULL until asked for */
};

/* dwarf_type_member.c: members of structs, parameters of functions. */
void dw_complete(struct type_source *src, struct ctype *t);
/* dwarf_type_names.c */
extern const struct type_source_ops dw_type_ops;
/* "ns::name" of a type in a namespace or class, else its plain name. */
const char *dw_qualified(struct dw_types *dt, Dwarf_Die *die);

#endif
