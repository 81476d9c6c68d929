/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of the target as places: where a value of a C type is, in registers or memory, and how steps like
 * ->member and [index] move from one place to another.  Shared by target*.c and the providers.
 */
#ifndef STAP_TARGET_H
#define STAP_TARGET_H

#include "provider.h"
#include "debuginfo/types.h"

/* A stretch of bits of a value that lies in several places. */
struct place_piece {
	struct expr *word;           /* a register or value that holds the piece from its bit `bit` on, or ... */
	struct expr *base;           /* ... the address where it begins, at bit `bit`; neither: see `why` */
	uint64_t bits;
	unsigned bit;
	const char *why;             /* it cannot be read: "it is optimised out here" */
};

struct place {
	const struct ctype *type;
	struct types_module *module; /* where types that are only declared may be defined */
	const char *what;            /* how the script calls it: "$file->f_path" */
	/* in registers: up to two words, the value starts at bit `bit` */
	struct expr *word[2];
	unsigned nwords;
	const struct place_piece *piece; /* or in pieces, one behind the other; the value starts at bit `bit` of them */
	unsigned npieces;
	unsigned bit;
	/* a pointer to something that is in no memory: what it points to, from this byte on; has no value of its own */
	const struct place *pointee;
	int64_t pointee_offset;
	/* else in memory at base + offset */
	struct expr *base;
	int64_t offset;
	bool user;                   /* in the current process' memory */
	bool late;                   /* names are resolved already: no calls of library functions */
	unsigned bit_offset, bit_size; /* bit field: from the byte at offset; bit_size 0: none */
};

/* target_place.c */
struct place place_value(const struct ctype *type, struct types_module *m, const char *what, struct expr *word);
struct place place_memory(const struct ctype *type, struct types_module *m, const char *what, struct expr *addr);
/*
 * The place as an expression: a number; an array's or function's address.  `addrof`: its address.
 * `lvalue`: something that can be assigned to.  NULL after diag_error.
 */
struct expr *place_expr(struct session *s, const struct place *p, struct loc loc, bool addrof, bool lvalue);
/* The number behind a pointer-like place (pointer, integer, array), without messages about types. */
struct expr *place_address(struct session *s, const struct place *p, struct loc loc);
/* All of e's components, its & and its pretty-printing applied to the place.  NULL after diag_error. */
struct expr *place_apply(struct session *s, struct place *p, const struct expr *e, bool lvalue);

/* True when it is not in memory as a whole: in registers, values, pieces. */
static inline bool place_in_words(const struct place *p)
{
	return p->nwords || p->npieces;
}
/* target_piece.c: `bits` bits of a place in words or pieces, from its bit on, as a number.  NULL after diag_error. */
struct expr *place_bits(struct session *s, const struct place *p, unsigned bits, bool is_signed, struct loc loc);

/* target_pretty.c */
/* A string expression that shows the place: "{.x=1, .y={...}}"; deep: structs in structs too. */
struct expr *pretty_expr(struct session *s, const struct place *p, struct loc loc, bool deep);
/* "name=value" for each place, separated by blanks; how: NULL: plain numbers, else as $ or $$. */
struct expr *pretty_list(struct session *s, const struct place *places, const char *const *names, size_t n,
			 struct loc loc, const struct expr *e);

/* target_expr.c: lowered nodes, typed as numbers */
struct expr *lowered_num(struct session *s, int64_t n, struct loc loc);
struct expr *lowered_binary(struct session *s, enum op op, struct expr *a, struct expr *b, struct loc loc);
struct expr *lowered_reg(struct session *s, unsigned offset, struct loc loc);
struct expr *lowered_arg(struct session *s, unsigned n, struct loc loc);
/* Run-time address of the probe itself (stp_ctx.ip), and of symbol + offset in the kernel (module NULL) or a module,
 * where the symbol may be a section's name; `what` tells a reader of messages what is there. */
struct expr *lowered_ip(struct session *s, struct loc loc);
struct expr *lowered_address(struct session *s, const char *module, const char *symbol, uint64_t offset, const char *what,
			     struct loc loc);
struct expr *lowered_address_of(struct session *s, const struct address *a, struct loc loc); /* its texts live as long as the session */
struct expr *lowered_user_file(struct session *s, unsigned index, struct loc loc); /* CTX_USER_FILE */
/* A call without arguments of the runtime's stp_NAME(): s64. */
struct expr *lowered_named(struct session *s, const char *name, struct loc loc);
struct expr *lowered_load(struct session *s, struct expr *addr, unsigned size, bool is_signed, bool user, struct loc loc);
struct expr *lowered_conv(struct session *s, struct expr *a, unsigned size, bool is_signed, struct loc loc);
/* The same value whenever both are evaluated at one moment. */
bool lowered_same(const struct expr *a, const struct expr *b);

/* target_abi.c: where arguments and results are at a function's first instruction and at its return */
enum arg_kind { ARG_REGS, ARG_STACK, ARG_EMPTY, ARG_UNKNOWN };
struct arg_loc {
	enum arg_kind kind;
	unsigned first, nwords;    /* ARG_REGS: number of the first integer argument register */
	unsigned first_vector;     /* ... and of the first vector register */
	bool vector[2];            /* which words are in vector registers */
	uint64_t offset;           /* ARG_STACK: bytes behind the first stack argument */
	const char *why;           /* ARG_UNKNOWN */
};
/* Number and place of each parameter of a function type; `n` entries. */
void abi_args(const struct ctype *proto, struct arg_loc *loc, size_t n);
/* The parameter as a place at the entry of a function on the kernel's architecture; -1 after diag_error. */
int abi_entry_place(struct session *s, const struct arg_loc *at, struct place *p, struct loc loc);
/* The low half of vector register n of the user program. */
struct expr *abi_vector(struct session *s, unsigned n, struct loc loc);
/* A register (its offset in struct pt_regs) that holds a part of the result: no value where the function goes on in another one. */
struct expr *abi_result(struct session *s, unsigned offset, struct loc loc);
/* The result as a place at the return; -1 after diag_error (void too).  abi_return_memory(): one that is in memory, whatever its type. */
int abi_return_place(struct session *s, struct place *p, struct loc loc);
int abi_return_memory(struct session *s, struct place *p, struct loc loc);

/* target_func.c: context variables of functions */
struct func_context {
	struct types_module *module;
	struct cfunc func;
	bool at_entry;             /* @entry() of a return probe is being lowered */
	/* private to target_func.c: what debug information knows of the function, for what BTF cannot tell */
	struct dwarf_scope *scope;
	bool scope_asked;
};
/* Keeps the value of an expression from the entry of a return probe: its number in p->saved, as EX_SAVED. */
struct expr *func_save(struct session *s, struct probe *p, struct expr *e);
/* A variable that is what it was at the entry, with all of e's components applied: what can be is evaluated there. */
struct expr *func_saved_place(struct session *s, struct probe *p, struct place *at, struct expr *e);
/* Turns what a place needs into words kept from the entry. */
void func_save_place(struct session *s, struct probe *p, struct place *at);
struct expr *func_target(struct session *s, struct probe *p, struct expr *e, bool lvalue);
void func_vars(struct session *s, struct probe *p, GString *out);

/* target_cast.c */
/* The type named by e->str in one of the modules named by e->module (@cast's second and third argument). */
const struct ctype *target_type(struct session *s, struct probe *p, const struct expr *e, struct types_module **module);
struct expr *target_cast(struct session *s, struct probe *p, struct expr *e, bool lvalue);

/* target_op.c: lowers an EX_ATOP, whose arguments are lowered; p NULL: no probe is known.  NULL after diag_error. */
struct expr *target_op(struct session *s, struct probe *p, struct expr *e);

/* target.c */
/* "$name->a[...]" as the script has it, for messages. */
const char *target_text(struct session *s, const struct expr *e);
/* The error for an unknown name: nearest and list of those that exist.  Always NULL. */
struct expr *target_unknown(struct session *s, const struct expr *e, const char *where, GPtrArray *names);
/* " did you mean" and "there are" under the last error; `names` without their dollars or with. */
void target_help_names(struct session *s, const char *name, GPtrArray *names, const char *what);

#endif
