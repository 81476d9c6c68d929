/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The syntax tree, and what pass 2 adds to it.
 *
 * Every node lives in the session's arena (session.h) until the session ends; nothing here is
 * freed singly.  Pass 1 (parse*.c) makes the nodes; pass 2 fills the fields marked "pass 2" and
 * replaces context variables ($x, @cast, @var, @entry, @defined ...) by the plain nodes listed
 * under "lowered", so that pass 3 (gen*.c) sees arithmetic, loads and calls only.
 */
#ifndef STAP_AST_H
#define STAP_AST_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct source;   /* source.h: one file, -e text or standard input */
struct ctype;    /* debuginfo/ctype.h: a C type of the target */
struct provider; /* provider.h */
struct func;
struct probe;

/* A range of source text; line and column count from 1, columns in bytes; len 0 means one point. */
struct loc {
	struct source *src;
	uint32_t line, col, len;
};

enum type { TY_UNKNOWN, TY_LONG, TY_STRING, TY_STATS, TY_VOID };

#define MAX_KEYS 9 /* array indexes */

/* How a histogram of a statistic is laid out; one variable may be asked for one kind only. */
enum hist_kind { HIST_NONE, HIST_LOG, HIST_LINEAR };
struct hist_shape {
	enum hist_kind kind;
	int64_t low, high, width; /* HIST_LINEAR */
};

/* Statistics operators a variable is asked for (pass 2): what an update has to keep. */
enum stat_op {
	STAT_COUNT = 1, STAT_SUM = 2, STAT_MIN = 4, STAT_MAX = 8, STAT_AVG = 16, STAT_VARIANCE = 32,
	STAT_HIST = 64,
};

enum var_kind { VAR_GLOBAL, VAR_LOCAL, VAR_PARAM };

struct var {
	enum var_kind kind;
	const char *name;      /* as written */
	const char *cname;     /* pass 2: unique within its scope, a C identifier without prefix */
	struct loc loc;
	bool is_private, from_library;
	bool composite;        /* pass 2: a script's array or statistic, which library aliases leave alone (scope_shape.c) */
	bool shared_told;      /* pass 2: the warning that a library's alias uses it was given */
	enum type type;        /* declared (":long") or inferred: of the element when an array */
	struct loc type_loc;   /* where the type was declared or inferred, for messages */
	int arity;             /* -1 not known yet, 0 scalar, n >= 1 array of n keys */
	enum type key[MAX_KEYS];
	struct loc arity_loc;
	bool wrap;             /* global a% */
	int64_t maxsize;       /* global a[N], 0 when not given */
	struct expr *init;     /* literal (possibly negated), or NULL */
	/* pass 2 */
	const struct ctype *ctype; /* autocast: what a pointer in it points to, as a C type */
	const struct ctype **key_ctype; /* the same of an array's keys; NULL where none is known */
	unsigned stat_ops;     /* enum stat_op */
	struct hist_shape hist;
	unsigned nread, nwritten; /* uses in live code */
	int lock;              /* lock group, -1: none needed (lock.h) */
	int64_t bit_shift;     /* @variance(x, bit_shift), 0 by default */
};

enum expr_kind {
	/* from the parser */
	EX_NUM,       /* num */
	EX_STR,       /* str, len */
	EX_SYM,       /* name, var (pass 2); a call without parentheses does not exist */
	EX_INDEX,     /* name[args]; an arg NULL stands for `*` (slices) */
	EX_CALL,      /* name(args); func (pass 2) */
	EX_UNARY,     /* op '-', '+', '!', '~' in a */
	EX_PREINC, EX_PREDEC, EX_POSTINC, EX_POSTDEC, /* a is an lvalue */
	EX_BINARY,    /* op, a, b: arithmetic, comparison, bits, '.' */
	EX_LOGAND, EX_LOGOR, /* a, b */
	EX_COND,      /* a ? b : c */
	EX_ASSIGN,    /* a op= b; op OP_NONE for plain '=', OP_STAT for <<< */
	EX_IN,        /* [args] in name */
	EX_REGEX,     /* a =~ b (literal); op OP_MATCH or OP_NOMATCH */
	EX_PRINT,     /* the print family: print */
	EX_STATOP,    /* @count(a) ...: stat; args[0] is @variance's bit shift */
	EX_HIST,      /* @hist_log(a), @hist_linear(a, ...): hist; valid in print(), foreach and EX_BUCKET */
	EX_BUCKET,    /* a[args[0]] with a an EX_HIST */
	EX_TARGET,    /* $name comps; $$vars etc. too: name keeps its dollars */
	EX_CAST,      /* @cast(a, "type", "module") comps: str type, module */
	EX_ATVAR,     /* @var("name@cu", "module") comps */
	EX_AUTOCAST,  /* a comps: `expr->field`, `expr[i]->f` on a value whose C type is known */
	EX_DEFINED,   /* @defined(a) */
	EX_ENTRY,     /* @entry(a) */
	EX_PERF,      /* @perf(str) */
	EX_ATOP,      /* other @name(args) operators: @const @enum @kderef @uderef @kregister ...: name, args */
	EX_EMBEDDED,  /* %{ str %} as an expression */
	/* lowered (pass 2) */
	EX_CTXVAL,    /* a word of the probe's context: ctxval, num */
	EX_LOAD,      /* load from address a: load */
	EX_CONV,      /* a truncated to load.size bytes, extended by load.is_signed */
	EX_CSTRING,   /* C string at address a, load.user; num is the most bytes, 0: MAXSTRINGLEN */
	EX_SAVED,     /* value number num saved at function entry (struct probe.saved) */
};

enum op {
	OP_NONE, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_SHL, OP_SHR, OP_USHR /* >>> */,
	OP_AND, OP_OR, OP_XOR, OP_LT, OP_GT, OP_LE, OP_GE, OP_EQ, OP_NE, OP_CONCAT, OP_STAT,
	OP_NEG, OP_PLUS, OP_NOT, OP_BITNOT, OP_MATCH, OP_NOMATCH,
};

/* Steps behind $x, @cast(), @var(): ->name or .name, [index], and the pretty-print suffixes. */
enum comp_kind { COMP_MEMBER, COMP_INDEX, COMP_PRETTY /* $ */, COMP_PRETTY_DEEP /* $$ */ };
struct comp {
	enum comp_kind kind;
	struct loc loc;
	const char *name;
	struct expr *index;
};

enum print_kind { PRINT_PRINT, PRINT_PRINTLN, PRINT_PRINTD, PRINT_PRINTDLN, PRINT_PRINTF };
enum fmt_flags { FMT_MINUS = 1, FMT_PLUS = 2, FMT_SPACE = 4, FMT_ALT = 8, FMT_ZERO = 16 };

/* One piece of a printf format: literal text, or a conversion that takes an argument. */
struct fmt_piece {
	char conv;             /* 0: literal; d i u x X o s p c b m M (i is stored as d, 'l' lengths dropped) */
	unsigned flags;        /* enum fmt_flags */
	bool width_arg, prec_arg; /* '*' */
	int width, prec;       /* -1: not given */
	const char *text;      /* literal, len bytes (escapes and %% already decoded) */
	size_t len;
	uint32_t offset;       /* in the format string, for carets */
};

struct print {
	enum print_kind kind;
	bool to_string;        /* sprint, sprintln, sprintd, sprintdln, sprintf */
	struct fmt_piece *piece; /* PRINT_PRINTF */
	size_t npiece;
	const char *delim;     /* printd family */
	size_t delim_len;
};

enum ctxval {
	CTX_REG,   /* num: byte offset of the word in the kernel's struct pt_regs */
	CTX_ARG,   /* num: tracepoint argument number, from 0 */
	CTX_RETVAL,/* ... that holds the result, or a part of it; of EX_SAVED: where the result is */
	CTX_NAMED, /* a runtime call of that name without arguments (name) */
	CTX_IP,    /* the run-time address of the probe */
	CTX_ADDRESS,/* num: an address that the loader finds (session.addresses) */
	CTX_USER_FILE,/* num: of session.user_files: where its first code is in the process that was hit, less its offset in the file */
};

struct load {
	uint8_t size;          /* 1 2 4 8 bytes */
	bool is_signed;
	bool user;             /* user space address */
	bool is_float;         /* EX_CONV: a's low 4 bytes are a float, widened to the bits of a double */
	uint8_t bit_offset, bit_size; /* bit field inside the loaded word, bit_size 0: none */
};

struct expr {
	enum expr_kind kind;
	enum op op;
	enum type type;        /* pass 2 */
	struct loc loc;        /* where the node is; for operators the operator itself */
	struct loc range;      /* whole text of the expression when on one line, for ~~~~ under carets */
	int64_t num;
	const char *str;       /* decoded bytes; may hold NUL only as the end */
	size_t len;
	const char *name;
	const char *module;    /* EX_CAST, EX_ATVAR: second/third argument or NULL */
	struct expr *a, *b, *c;
	struct expr **args;
	size_t nargs;
	struct comp *comps;
	size_t ncomps;
	bool addrof;           /* & before $x, @cast, @var */
	uint16_t depth;        /* of the tree below, as parsed; the parser bounds it */
	struct print *print;
	enum stat_op stat;
	struct hist_shape hist;
	enum ctxval ctxval;
	struct load load;
	/* pass 2 */
	struct var *var;
	struct func *func;
	const struct ctype *ctype; /* C type of the value, for autocast; NULL: none */
};

enum stmt_kind {
	ST_NULL, ST_BLOCK, ST_EXPR, ST_IF, ST_WHILE, ST_FOR, ST_FOREACH, ST_BREAK, ST_CONTINUE, ST_NEXT,
	ST_RETURN, ST_DELETE, ST_TRY, ST_EMBEDDED,
};

/* foreach ([k0, k1] in a+ limit n), foreach (v = [k] in a), foreach (i in @hist_log(x)) */
struct foreach {
	struct expr *value;    /* EX_SYM of the `v =` form, or NULL */
	struct expr **keys;    /* EX_SYMs */
	size_t nkeys;
	struct expr *array;    /* EX_SYM or EX_HIST */
	struct expr **slice;   /* a[x, *]: nkeys entries, NULL for `*`; NULL when no slice */
	int sort_dir;          /* -1 descending, 0 none, 1 ascending */
	int sort_by;           /* 0 value, n key number n */
	enum stat_op sort_stat;/* which statistic, 0: default (@count) */
	struct expr *limit;
};

struct stmt {
	enum stmt_kind kind;
	struct loc loc;
	struct expr *expr;     /* ST_EXPR, ST_IF/WHILE/FOR condition, ST_RETURN (or NULL), ST_DELETE */
	struct expr *init, *step; /* ST_FOR, may be NULL; a NULL condition is true */
	struct stmt *body, *other; /* other: else, catch */
	struct stmt **list;    /* ST_BLOCK */
	size_t nlist;
	struct foreach *foreach;
	struct expr *catch_var;/* EX_SYM or NULL */
	const char *code;      /* ST_EMBEDDED */
};

struct func {
	const char *name, *cname;
	struct loc loc;
	bool is_private, from_library;
	enum type type;        /* of the result; TY_VOID when it never returns a value */
	struct loc type_loc;
	struct var **params;
	size_t nparams;
	struct var **locals;   /* pass 2 */
	size_t nlocals;
	struct stmt *body;     /* NULL for embedded C */
	const char *code;      /* embedded C, or NULL */
	struct loc code_loc;
	const char *runtime;   /* library only: name of the runtime entry point that implements it ("fn_pid") */
	const char *hook;      /* ... and of a hook that it rests on ("umap"), or NULL */
	bool pure;             /* has no effect besides its value */
	bool nofail;           /* can not set an error */
	bool guru;             /* scripts may call it with -g only */
	int priority;          /* overloading, issue order by default */
	struct func *next_overload;
	/* pass 2 */
	bool used, uses_context, recursive;
	const void *counted_in; /* the unit whose calls it was last added to (count_uses()) */
	const struct ctype *ctype; /* of the result */
};

/* One component of a probe point: name, name(num) or name("str"); `*` in name is a wildcard. */
struct point_comp {
	const char *name;
	struct loc loc;
	struct expr *arg;      /* EX_NUM, EX_STR or NULL */
};

struct point {
	struct point_comp *comps;
	size_t ncomps;
	struct loc loc;
	bool optional;         /* ? */
	bool sufficient;       /* ! */
	struct expr *condition;/* if (...), or NULL */
};

/* probe POINTS BODY, or with `names`: probe NAMES = POINTS BODY (alias, += when epilogue). */
struct probe_decl {
	struct loc loc;
	struct point **points;
	size_t npoints;
	struct point **names;  /* alias names, NULL for a plain probe */
	size_t nnames;
	bool epilogue;
	bool from_library, is_private;
	struct stmt *body;
};

/* One parsed file. */
struct file {
	struct source *src;
	bool library, guru;    /* library: tapset directory or -I */
	GPtrArray *probes;     /* struct probe_decl, aliases not among them */
	GPtrArray *aliases;    /* struct probe_decl with names */
	GPtrArray *globals;    /* struct var */
	GPtrArray *funcs;      /* struct func */
	GPtrArray *embeds;     /* struct stmt (ST_EMBEDDED) at top level */
	GHashTable *global_index; /* pass 2: name -> struct var, made at the first look-up (scope_find.c) */
	GHashTable *alias_index;  /* pass 2: first word of a name -> GPtrArray of struct probe_decl, each once (derive.c) */
	GHashTable *func_index;   /* pass 2: name -> GPtrArray of struct func */
};

const char *type_name(enum type t);           /* "long", "string", "statistics", "unknown", "void" */
const char *op_text(enum op op);              /* as written in a script */

/* ast.c: constructors and copies, all in the arena of `s` */
struct session;
struct expr *expr_new(struct session *s, enum expr_kind kind, struct loc loc);
struct expr *expr_num(struct session *s, int64_t num, struct loc loc);
struct expr *expr_str(struct session *s, const char *str, struct loc loc);
struct expr *expr_binary(struct session *s, enum op op, struct expr *a, struct expr *b, struct loc loc);
struct stmt *stmt_new(struct session *s, enum stmt_kind kind, struct loc loc);
struct expr *expr_copy(struct session *s, const struct expr *e); /* deep; var/func pointers are kept */
struct stmt *stmt_copy(struct session *s, const struct stmt *st);

/*
 * ast_walk.c: visit every expression and statement below a node, children first.  The callbacks may
 * replace the node through the pointer; NULL callbacks are skipped.  A false return stops the walk.
 */
struct walker {
	bool (*expr)(struct walker *w, struct expr **e);
	bool (*expr_pre)(struct walker *w, struct expr **e, bool *descend);
	bool (*stmt)(struct walker *w, struct stmt **st);
	bool (*stmt_pre)(struct walker *w, struct stmt **st, bool *descend);
	void *data;
};
bool walk_expr(struct walker *w, struct expr **e);
bool walk_stmt(struct walker *w, struct stmt **st);

/* ast_print.c: source form, as -p1 shows it; parses again to the same tree. */
void print_file(GString *out, const struct file *f);
void print_expr(GString *out, const struct expr *e);
void print_stmt(GString *out, const struct stmt *st, int indent);
void print_point(GString *out, const struct point *p);

#endif
