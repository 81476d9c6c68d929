/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What target_dwarf*.c share: variables of a DWARF scope as entries and as places (dwarf_scope.h is what others use). */
#ifndef STAP_TARGET_DWARF_H
#define STAP_TARGET_DWARF_H

#include "dwarf_scope.h"
#include "target.h"
#include "debuginfo/dwarf_file.h"
#include "debuginfo/dwarf_loc.h"
#include "debuginfo/dwarf_type.h"

#define MAX_SCOPES 64 /* blocks in each other */

/* A scope with what is needed of its file; on the stack, made by dscope_open(). */
struct dscope {
	struct session *s;
	struct probe *p;
	struct dwarf_scope *sc;
	Dwarf *dw;
	struct type_source *types;
	struct types_module *module;
	Dwarf_Die cu;              /* addr NULL: none */
	Dwarf_Die blocks[MAX_SCOPES]; /* the function or inlined instance first, then blocks that hold pc */
	unsigned nblocks;
	Dwarf_Die func;            /* the concrete function around; addr NULL: none */
	uint64_t entry;            /* its first instruction */
	bool is_clone;             /* it is a specialised copy, which may take other arguments */
	bool is_changed;           /* it does take others (DW_CC_nocall) */
};

/* 0, or -1 after diag_error: no debug information, a file of another build. */
int dscope_open(struct dscope *ds, struct session *s, struct probe *p, struct dwarf_scope *sc, struct loc loc);

/* target_dwarf_find.c */
enum var_where { VAR_NOT_FOUND, VAR_IN_FUNCTION, VAR_OF_UNIT, VAR_ELSEWHERE };
/* The variable that a name means at the scope: the innermost one. */
enum var_where dscope_find(struct dscope *ds, const char *name, Dwarf_Die *var);
/* Appends the names of the function's variables, and of its unit's (const char *). */
void dscope_names(struct dscope *ds, GPtrArray *names, bool unit);
/*
 * Calls fn for each variable that is visible in the function, parameters first; shadowed ones are left out.
 */
void dscope_each(struct dscope *ds, void (*fn)(void *data, Dwarf_Die *var, bool is_param), void *data);

/* target_dwarf_place.c: a variable as a place; -1 after diag_error.  `what`: how the script calls it. */
int dscope_place(struct dscope *ds, Dwarf_Die *var, const char *what, struct loc loc, struct place *ret);

/* target_slot.c: a parameter that is not in its slot of the frame yet.  1: *ret is where it is; 0: it is no such one; -1 after diag_error. */
int dscope_slot(struct dscope *ds, Dwarf_Die *var, struct loc loc, struct place *ret);

/* Where the function's result is, whose type is in `at` (target_rust.c); -1: told why not. */
int dscope_return_place(struct dscope *ds, struct place *at, struct loc loc);
/* target_rust.c: which types Rust passes as C does, and which of the others surely are in memory, passed by their address. */
bool dscope_is_rust(struct dscope *ds);
bool rust_passes_as_c(const struct ctype *t);
bool rust_is_in_memory(const struct ctype *t);
/* target_cplus.c: a value of this type is passed and returned by its address, however small it is. */
bool dscope_is_cplus(struct dscope *ds);
bool cplus_by_address(const struct ctype *t);
/*
 * target_go.c: results of the function around, when Go's compiler made it.  How many there are, and the first; one by its name as scripts write it
 * ($r0 is ~r0); its name; where one is at the return, 0, or -1 after diag_error; $return, NULL after diag_error (also when there are several).
 */
bool dscope_is_go(struct dscope *ds);
bool dscope_is_go_result(struct dscope *ds, Dwarf_Die *var);
unsigned dscope_go_results(struct dscope *ds, Dwarf_Die *first);
bool dscope_find_go_result(struct dscope *ds, const char *name, Dwarf_Die *var);
const char *dscope_go_name(Dwarf_Die *var);
/*
 * What is to be added to the address that debug information tells for a parameter of a Go function at its entry: where the function uses
 * but the end of it (of a string that it got on the stack the length alone), Go 1.19 tells where that is.
 */
int64_t dscope_go_param_shift(struct dscope *ds, Dwarf_Die *var);
/*
 * Go's compiler (1.19) tells of a struct in several places those of its members, and of the padding between them nothing, or how long it is but wrong:
 * puts each where it belongs.  False: the pieces are not those of the members.
 */
bool dscope_go_pieces(struct dscope *ds, const struct ctype *t, struct location *where);
int dscope_go_place(struct dscope *ds, Dwarf_Die *var, const char *what, struct loc loc, struct place *ret);
struct expr *dscope_go_return(struct dscope *ds, struct expr *e, bool lvalue);

/* target_dwarf_addr.c: addresses of the file at run time, for loc_env. */
struct expr *dscope_address(struct loc_env *env, uint64_t addr);
/* target_dwarf_tls.c */
struct expr *dscope_tls(struct loc_env *env, uint64_t offset);

/* target_dwarf_var.c: the address of the one visible symbol of that name. */
struct dwarf_index;
bool dscope_symbol(struct dwarf_index *ix, const char *name, uint64_t *addr);

/* target_dwarf_list.c: $$vars $$locals $$parms $$return */
struct expr *dscope_list(struct dscope *ds, struct expr *e);

/* True when handlers see variables as they were at the entry. */
static inline bool dscope_at_return(const struct dscope *ds)
{
	return ds->sc->is_return && !ds->sc->at_entry;
}

#endif
