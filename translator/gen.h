/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pass 3: from typed, lowered trees to one C file.  Shared by the gen_*.c files only.
 *
 * Code is made in three-address form.  gen_expr() writes statements for everything that can fail or has an effect,
 * and returns a struct val: C text that is cheap, has no effect, and may be written once, later.  Such text may still
 * read variables; who generates code for a later operand that writes one of them calls gen_hold() first, which turns
 * the text into a C temporary (and copies a string view).  So operands are evaluated from left to right.
 *
 * Arithmetic wraps: the kernel's -fno-strict-overflow is relied on.  Shift counts are taken modulo 64.
 */
#ifndef STAP_GEN_H
#define STAP_GEN_H

#include "emit.h"
#include "provider.h"
#include "session.h"

/* A variable that a pending value reads. */
struct reads {
	struct var *var;
	struct reads *next;
};

/* A value: C text plus what the generator knows about it.  Copied freely; all parts are in the arena. */
struct val {
	enum type type;
	const char *c;         /* s64 (or int, `narrow`) or struct stp_str */
	bool atom;             /* needs no parentheses as an operand */
	bool narrow;           /* its C type is int */
	bool is_const;         /* num, or lit and len */
	bool call;             /* has a call of a runtime function in it */
	bool truth;            /* 0 or 1, from a comparison */
	int64_t num;
	const char *lit;
	size_t len;
	struct reads *reads;
};

/* Where control goes when something fails: out of the handler, through the loops and try blocks around it. */
enum scope_kind { SCOPE_TRY, SCOPE_ITER };
struct scope {
	struct scope *up;
	enum scope_kind kind;
	unsigned id;
	bool used;             /* its label (catch_ID, unwind_ID) is jumped to */
};

/* Effects on a variable, as sets */
enum { EFF_READ = 1, EFF_WRITE = 2, EFF_SHRINK = 4 /* elements may go */ };

/* What is known of a script function. */
struct fninfo {
	struct func *func;
	GHashTable *effects;   /* struct var (globals) -> EFF_*, calls included */
	enum { FN_NEW, FN_BUSY, FN_DONE } state;
	bool fails;            /* can return with an error set */
	bool recursive, uses_scratch, regs, matches, tokens;
	bool deep;             /* calls go many levels down from here: looks whether the stack has room */
	size_t need;           /* scratch bytes of a call, calls inside included */
	int64_t cost;          /* statements of one call outside its loops */
};

enum local_kind { LOCAL_LONG, LOCAL_FRAME /* string in the frame */, LOCAL_VIEW, LOCAL_STAT, LOCAL_DEAD };
struct local {
	struct var *var;
	enum local_kind kind;
	unsigned nread, nwrite, nloop; /* loop: written inside a loop */
	struct var *key_of;    /* foreach key or value of this array */
	bool value_of;         /* ... its value */
	bool awkward;          /* written by something else than one plain statement */
	bool param;
	bool touched, read_out;/* generated text mentions it; uses its value */
};

struct fail {              /* a cold label */
	unsigned pos;
	struct scope *scope;
	unsigned id;
};

/* The foreach loops whose current element may be used without a lookup. */
struct cursor {
	struct cursor *up;
	struct foreach *fe;
	unsigned id;
};

/* How mappings are followed; the same as enum stp_vma_strategy of runtime/abi/stp.h. */
enum vma_strategy { VMA_BY_ANY, VMA_BY_PROBE, VMA_BY_SYSCALL };

/* One file being generated. */
struct gen {
	struct session *s;
	unsigned maxstr;       /* MAXSTRINGLEN */
	int64_t maxaction, maxaction_interruptible;
	unsigned maxnesting, maxbacktrace;
	int64_t maxmapentries;
	enum vma_strategy vma_strategy; /* STP_VMA_STRATEGY */
	unsigned elision;      /* struct stp_statdesc.elision */
	GString *decls;        /* prototypes of runtime functions */
	GString *consts;       /* formats and other constant tables */
	GString *code;         /* functions, then handlers */
	GHashTable *interned;  /* text of a prototype or constant table -> its number */
	GPtrArray *positions;  /* char *: initializers */
	GHashTable *position;  /* initializer -> index + 1 */
	GHashTable *infos;     /* struct func -> struct fninfo */
	GPtrArray *order;      /* struct func: callees before callers */
	unsigned nconst;
	size_t need;           /* largest scratch need of a handler */
	bool failed;           /* an error was reported */
	bool uses_buf;         /* the file needs str_get(), str_set() */
	bool uses_stat_get;
	bool uses_names;       /* the script asks for pn() */
	GPtrArray *hooks;      /* const char *: names of hooks that library functions rest on, once each */
	bool uses_match;       /* the script asks for matched() or ngroups() */
	GPtrArray *rows;       /* struct probe_row *, one a probe */
	GString *embed;        /* unit of embedded C: functions */
	GString *embed_head;   /* ... what comes before the user's own top level */
	GString *access;       /* generated C: how embedded C reaches globals */
	GHashTable *accessible;/* struct var -> EMBED_*: those it does */
};

/* What the table of probes says about one handler. */
struct probe_row {
	const char *handler, *entry, *condition;
	bool leaf, regs, restart;
	unsigned loc;
};

/* One C function being generated. */
struct fn {
	struct gen *g;
	struct emit o;
	struct probe *probe;   /* NULL in a script function */
	struct func *func;     /* NULL in a handler */
	struct fninfo *info;
	bool alone;            /* begin, end, error: nothing else runs */
	GString *top;          /* declarations at the top */
	GHashTable *locals;    /* struct var -> struct local */
	GPtrArray *local_list; /* in order of first use */
	GHashTable *effects;   /* of the whole function: struct var -> EFF_* */
	GPtrArray *fails;      /* struct fail */
	struct scope *scope;
	GPtrArray *scopes;     /* all of them, for unwind labels */
	struct cursor *cursor;
	unsigned ntmp, nscope, ncont;
	bool mark_used, mark_raised, has_frame, can_fail;
	unsigned out_used;     /* jumps to `out` */
	bool uses_scratch, leaf, regs, spend_blocks;
	bool matches;          /* has to do with c->match */
	bool tokens;           /* calls tokenize() */
	unsigned loop_depth;
	const char *mark;      /* name of the mark that statements return to */
	bool *mark_flag;       /* set when that mark is used */
	bool dirty;            /* scratch was used since the statement began */
	bool raise_mark;       /* what the statement put into scratch stays there */
	size_t bytes, max_bytes;
	int64_t cost;
	const char *cont;      /* label `continue` jumps to, NULL: the C statement does */
	unsigned cont_used;
};

/* ---- gen.c ---- */
const char *gen_text(struct fn *f, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* Index into the position table of a place; `what` as an error message names it. */
unsigned gen_position(struct gen *g, struct loc loc, const char *what);
/* Interns "static const DECL_N = TEXT;" into g->consts; returns N. */
unsigned gen_const(struct gen *g, const char *decl, const char *text);
/* Declares a runtime function once. */
void gen_declare(struct gen *g, const char *text);
/* Has the hook of that name linked in, for library functions that rest on it. */
void gen_hook(struct gen *g, const char *name);
const char *var_cname(const struct var *v);

/* ---- gen_config.c: -D settings ---- */
int gen_config_read(struct gen *g);   /* fills g->maxstr etc. */
void gen_config(struct gen *g, GString *out);

/* ---- gen_effects.c ---- */
/* Visit every node below; a callback that returns true stops the walk with true. */
typedef bool gen_visit_expr(struct expr *e, void *data);
typedef bool gen_visit_stmt(struct stmt *st, void *data);
bool visit_stmt(struct stmt *st, gen_visit_stmt *sfn, gen_visit_expr *efn, void *data);
void gen_effects_init(struct gen *g);
struct fninfo *gen_info(struct gen *g, struct func *func);
/* Does evaluating e do one of `eff` to var? */
bool expr_affects(struct gen *g, struct expr *e, struct var *var, unsigned eff);
bool stmt_affects(struct gen *g, struct stmt *st, struct var *var, unsigned eff);
/* Collects the effects of code into a table var -> EFF_*. */
void effects_of_stmt(struct gen *g, struct stmt *st, GHashTable *into);
void effects_of_expr(struct gen *g, struct expr *e, GHashTable *into);
bool expr_calls(struct expr *e);      /* calls, loads: something that takes time or has effects */
bool expr_same(const struct expr *a, const struct expr *b);

/* ---- gen_local.c: how each local variable is kept ---- */
void gen_locals(struct fn *f, struct func *func, struct stmt *body, struct expr **exprs, size_t nexprs);
struct local *gen_local(struct fn *f, struct var *v);
void gen_locals_declare(struct fn *f, GString *out);   /* at the top of the C function */
void gen_frame(struct fn *f, GString *out);            /* the frame's type and set-up */
/* Variable as an lvalue ("g_x", "l_x", "f->l_x"). */
const char *var_text(struct fn *f, struct var *v);
bool var_is_buf(struct fn *f, struct var *v);          /* a string with storage of its own */
bool var_atomic(struct fn *f, struct var *v);          /* other CPUs may update it meanwhile */
bool var_dead(struct fn *f, struct var *v);            /* never read: not kept at all */

/* ---- gen_fail.c ---- */
void gen_check(struct fn *f, struct loc loc, const char *what);    /* if (c->err) goto ... */
void gen_check_cond(struct fn *f, const char *cond, struct loc loc, const char *what);
/* The same after calls that leaf handlers (STP_LEAF) may make: they neither print nor use scratch. */
void gen_check_leaf(struct fn *f, const char *cond, struct loc loc, const char *what);
void gen_check_again(struct fn *f);   /* in a catch: memory is missing, and the handler begins anew (gen_restart.h) */
void gen_check_passed(struct fn *f);  /* the callee has noted the position */
struct scope *scope_push(struct fn *f, enum scope_kind kind);
void scope_pop(struct fn *f);
/* The label `out`; the text before it need not jump to it. */
void gen_out_label(struct fn *f, bool empty);
void gen_unwind_inline(struct fn *f); /* end all iterators: before next and return */
const char *gen_cold(struct fn *f);   /* fail_N and unwind_N labels for the end of the function */
const char *expr_what(struct fn *f, const struct expr *e);

/* ---- gen_expr.c ---- */
struct val gen_expr(struct fn *f, struct expr *e);
void gen_effect(struct fn *f, struct expr *e);         /* for its effects only */
struct val gen_long_tmp(struct fn *f, const char *c);  /* names a value: s64 tN = ...; */
struct val gen_str_tmp(struct fn *f, const char *c, struct reads *reads);
struct val val_text(enum type type, const char *c);
struct val val_num(struct fn *f, int64_t num);
struct val val_lit(struct fn *f, const char *str, size_t len);
const char *paren(struct fn *f, struct val v);         /* as an operand */
struct reads *reads_add(struct fn *f, struct reads *r, struct var *v);
struct reads *reads_join(struct fn *f, struct reads *a, struct reads *b);
/* Makes *v safe against the evaluation of e; of n expressions. */
void gen_hold(struct fn *f, struct val *v, struct expr *e);
void gen_hold_all(struct fn *f, struct val *v, struct expr **e, size_t n);
/* A copy of a string view in scratch, if it reads anything; a long in a temporary. */
void gen_keep(struct fn *f, struct val *v, struct loc loc);
void gen_list(struct fn *f, struct expr **e, size_t n, struct val *out);
/* A string result of n bytes (0: MAXSTRINGLEN) was put into scratch. */
void gen_scratch(struct fn *f, size_t n);
void gen_scratch_reset(struct fn *f);
void gen_error(struct fn *f, struct loc loc, const char *tag, const char *fmt, ...) G_GNUC_PRINTF(4, 5);
struct val gen_binary_text(struct fn *f, enum op op, struct val a, struct val b, struct expr *at);
struct val gen_cond_long(struct fn *f, struct expr *e); /* a condition */

/* ---- gen_assign.c ---- */
struct val gen_assign(struct fn *f, struct expr *e, bool want);
struct val gen_incdec(struct fn *f, struct expr *e, bool want);

/* ---- gen_load.c: context values, memory ---- */
struct val gen_ctxval(struct fn *f, struct expr *e);
struct val gen_load(struct fn *f, struct expr *e);
struct val gen_cstring(struct fn *f, struct expr *e);
struct val gen_perf(struct fn *f, struct expr *e);     /* @perf("NAME") */
void gen_store(struct fn *f, struct expr *lval, struct val addr, struct val v);
struct val gen_load_at(struct fn *f, struct expr *e, struct val addr);

/* ---- gen_map.c ---- */
struct mapkey {
	const char *suffix;    /* "", "_l", "_s" */
	const char *arg;
	unsigned any;          /* bit n: key n is `*` */
	struct reads *reads;   /* of strings in it */
};
/* Evaluates keys; `then`: more expressions evaluated before the key is used. */
struct mapkey gen_key(struct fn *f, struct expr **keys, size_t n, struct expr *then, struct var *map, bool array);
/* The key of an element that gen_cell() is going to make. */
struct mapkey gen_element_key(struct fn *f, struct expr *at, struct expr *then);
const char *gen_cell(struct fn *f, struct var *map, struct mapkey *k, struct expr *at); /* makes the element */
struct val gen_index(struct fn *f, struct expr *e);
struct val gen_in(struct fn *f, struct expr *e);
void gen_delete(struct fn *f, struct expr *e);
const char *gen_cursor_cell(struct fn *f, struct expr *e); /* cell of a foreach's current element, or NULL */

/* ---- gen_stat.c ---- */
/* The struct stp_stat * that e (a global or an element) stands for; may be NULL at run time: *maybe. */
const char *gen_stat_ref(struct fn *f, struct expr *e, bool *maybe);
struct val gen_statop(struct fn *f, struct expr *e);
void gen_statops(struct fn *f, struct expr **e, size_t n, struct val *out); /* of one operand */
void gen_stat_add(struct fn *f, struct expr *e);
struct val gen_bucket(struct fn *f, struct expr *e);
unsigned gen_statdesc(struct gen *g, const struct var *v);
struct var *stat_var(const struct expr *e);

/* ---- gen_print.c ---- */
struct val gen_print(struct fn *f, struct expr *e);
struct val gen_concat(struct fn *f, struct expr *e);
/* The operands of a chain of concatenations, in order. */
void concat_parts(struct expr *e, GPtrArray *out);

/* ---- gen_call.c, gen_func.c ---- */
struct val gen_call(struct fn *f, struct expr *e, bool want);
void gen_func(struct gen *g, struct func *func);
/* A comment line in front of a function of the file. */
void gen_comment(struct gen *g, const char *text);
void gen_frame_init(struct fn *f);                     /* before the body: checks the frame, empties its strings */
void gen_declarations(struct fn *f, GString *out);     /* at the top of the C function, once the body is there */

/* ---- gen_embed.c: users' embedded C ---- */
void gen_embed_init(struct gen *g);
void gen_embed_free(struct gen *g);
void gen_embed_func(struct fn *f);                     /* the body of a function in embedded C */
void gen_embed_stmt(struct fn *f, struct stmt *st);
struct val gen_embed_expr(struct fn *f, struct expr *e);
int gen_embed_write(struct gen *g);                    /* s->embed_c_file, when there is any */

/* ---- gen_stmt.c, gen_loop.c, gen_foreach.c ---- */
void gen_stmt(struct fn *f, struct stmt *st);
void gen_next(struct fn *f);                           /* `next`: out of the handler, or on to the next overload */
void gen_body(struct fn *f, struct stmt *st);          /* without braces of its own */
void gen_while(struct fn *f, struct stmt *st);
void gen_for(struct fn *f, struct stmt *st);
void gen_foreach(struct fn *f, struct stmt *st);
void gen_spend(struct fn *f, int64_t n, struct loc loc);

/* ---- gen_probe.c ---- */
struct fn *fn_new(struct gen *g, struct probe *p, struct func *func);
void fn_free(struct fn *f);
void gen_probes(struct gen *g);
/* Words that a return probe keeps from the entry: one a value, and behind them the strings. */
size_t gen_saved_words(const struct gen *g, const struct probe *p);
struct val gen_saved(struct fn *f, struct expr *e);
/* gen_load.c: ends the handler where the function that returns has gone on in another one: no result is known there. */
void gen_result_known(struct fn *f, struct expr *e);

/* ---- gen_regex.c ---- */
void gen_regex_init(struct gen *g);
struct val gen_regex(struct fn *f, struct expr *e);
bool gen_regex_asks(const struct func *fu); /* matched(), ngroups() */
/* In a handler, when its code is there: makes room for what matches find, in front of the code at `at`. */
void gen_regex_room(struct fn *f, size_t at);

/* gen_call.c: in a handler, when its code is there: the tokens of an earlier hit are forgotten, in front of the code at `at`. */
void gen_tokens_begin(struct fn *f, size_t at);

/* ---- gen_table.c ---- */
void gen_globals(struct gen *g, GString *out);         /* the variables */
void gen_tables(struct gen *g, GString *out);          /* everything from positions to stp_script */

#endif
