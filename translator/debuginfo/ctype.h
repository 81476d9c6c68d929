/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C types of the target, the one model that every source of types (BTF, DWARF) fills.
 *
 * A struct ctype belongs to the struct types it came from and lives as long; nobody else frees one.
 * The members of structs and the parameters of functions are read from the source at first use:
 * ctype_members() and ctype_params().  NULL never stands for void: that is a type of kind CTYPE_VOID.
 */
#ifndef STAP_CTYPE_H
#define STAP_CTYPE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ctype_kind {
	CTYPE_VOID, CTYPE_INT, CTYPE_FLOAT, CTYPE_ENUM, CTYPE_PTR, CTYPE_ARRAY, CTYPE_STRUCT, CTYPE_UNION,
	CTYPE_TYPEDEF, CTYPE_CONST, CTYPE_VOLATILE, CTYPE_RESTRICT, CTYPE_ATOMIC,
	CTYPE_USER /* __user, on a pointer's target */,
	CTYPE_FUNC, CTYPE_FWD /* declared only */,
};

struct type_source;
struct ctype;

struct ctype_member {
	const char *name;          /* "" when anonymous */
	const struct ctype *type;
	uint64_t bit_offset;       /* from the start of the struct */
	uint32_t bit_size;         /* of a bit field, else 0 */
};

struct ctype_param {
	const char *name;          /* "" when not known */
	const struct ctype *type;
};

struct ctype {
	enum ctype_kind kind;
	const char *name;          /* "" when anonymous */
	uint64_t size;             /* bytes; 0 for void, functions, incomplete types */
	bool is_signed, is_bool, is_char; /* CTYPE_INT, CTYPE_ENUM */
	bool variadic;             /* CTYPE_FUNC */
	bool is_reference;         /* CTYPE_PTR: a C++ reference */
	bool was_union;            /* CTYPE_FWD */
	uint64_t count;            /* CTYPE_ARRAY: elements, 0 when open */
	const struct ctype *to;    /* pointed to, element, aliased or qualified type, result */
	struct type_source *source;
	uint64_t id;               /* in the source */
	/* filled by the source's `complete`; use the functions below */
	bool complete;
	struct ctype_member *members;
	struct ctype_param *params;
	size_t nmembers, nparams;
};

/* The type behind typedefs and qualifiers; `user` (may be NULL) is set when a __user tag was among them. */
const struct ctype *ctype_strip(const struct ctype *t, bool *user);

const struct ctype_member *ctype_members(const struct ctype *t, size_t *n); /* of CTYPE_STRUCT, CTYPE_UNION */
const struct ctype_param *ctype_params(const struct ctype *t, size_t *n);   /* of CTYPE_FUNC */

/*
 * Finds member `name` of a struct or union, also inside anonymous members.  Returns its type or NULL;
 * *bit_offset is from the start of t, *bit_size as in struct ctype_member.
 */
const struct ctype *ctype_find_member(const struct ctype *t, const char *name, uint64_t *bit_offset, uint32_t *bit_size);
/* Appends the names of all members that ctype_find_member() would find (const char *). */
void ctype_member_names(const struct ctype *t, GPtrArray *names);

/* True for a char, signed or not, behind typedefs and qualifiers. */
bool ctype_is_char(const struct ctype *t);
bool ctype_is_aggregate(const struct ctype *t);       /* struct or union */
uint64_t ctype_size(const struct ctype *t);           /* bytes, behind typedefs and qualifiers */
/* Alignment in bytes, as the x86-64 ABI has it for types without attributes. */
uint64_t ctype_align(const struct ctype *t);

/* The type as users read it in listings: "struct file*", "unsigned int", "char const*". */
void ctype_print(GString *out, const struct ctype *t);

extern const struct ctype ctype_void;

#endif
