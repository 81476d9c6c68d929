/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probe kinds.  A provider turns a fully written probe point (aliases already expanded by derive.c)
 * into derived probes, resolves context variables for them, and lists points for -l/-L.  One file
 * per script word: probe_begin.c, probe_timer.c, probe_kernel.c, probe_kprobe.c, probe_trace.c ...
 */
#ifndef STAP_PROVIDER_H
#define STAP_PROVIDER_H

#include "session.h"

struct dwarf_scope;

/* How the runtime attaches a probe; mirrors enum stp_probe_kind in runtime/abi/stp.h. */
enum attach_kind {
	ATTACH_BEGIN, ATTACH_END, ATTACH_ERROR, ATTACH_NEVER, ATTACH_TIMER, ATTACH_PROFILE,
	ATTACH_ENTRY, ATTACH_RETURN, ATTACH_TRACEPOINT, ATTACH_ADDRESS, ATTACH_PROCFS, ATTACH_INPUT, ATTACH_NETFILTER, ATTACH_PERF,
	ATTACH_PERF_TASK, ATTACH_DATA,
	ATTACH_UPROBE, ATTACH_URETURN, ATTACH_TASK, ATTACH_UDATA, ATTACH_VMA, /* user programs: `user` tells where */
};

/*
 * Where a function probe goes: symbol + offset in vmlinux (module NULL) or a module.  The symbol is a function's, each of
 * that name, with offset 0; or a reference: "_stext", in a module any function of the same section with a name of its own.
 */
struct site {
	const char *module, *symbol;
	uint64_t offset;           /* or the absolute address when symbol is NULL */
	bool optional;
	bool clones;               /* copies that the compiler made of it, too: NAME.isra.0, NAME.constprop.1 */
	bool untraceable;          /* not for ftrace, as far as one can tell */
	bool of_wildcard;          /* found by a wildcard, whatever probe it became */
	const char *build_id;      /* right only for this build (lower-case hex); NULL: any */
	const char *name;          /* the function, for messages; NULL: symbol */
};

/* A derived probe: one handler and all places it is attached to. */
struct probe {
	struct probe_decl *decl;   /* the user's probe it comes from */
	const struct provider *provider;
	const char *point;         /* resolved point, as pp() and -l show it; with several sites the
	                            * function's name is replaced by the byte \001 */
	const char *name;          /* pn(): the alias that it comes from, words behind it included; NULL: the point itself */
	const char *pattern;       /* the point as the user wrote it (the alias chain's first link) */
	struct loc loc;
	enum attach_kind attach;
	int64_t arg, arg2;         /* order (begin/end), period and randomization in ns (timers), mode (profile); see stp.h */
	uint32_t sub;              /* which of a kind (struct stp_probe.sub) */
#define ENTRY_SYSCALL 1            /* STP_ENTRY_SYSCALL of stp.h */
	const char *target;        /* name of a tracepoint or file, or NULL */
	unsigned ntpargs;          /* tracepoint: number of argument words */
	struct site *sites;
	size_t nsites;
	struct user_group *user;   /* user_site.h: places in programs, in place of sites */
	size_t nuser;
	int64_t maxactive;
	bool at_returns;           /* ATTACH_URETURN: places are functions' starts and return instructions */
	bool jumps_out;            /* ... and jumps to functions that are not followed: no result is known there */
	bool goroutines;           /* ... of a Go program */
	struct stmt *body;         /* own copy: alias bodies and the user's, in order */
	struct expr *condition;    /* on-the-fly condition, or NULL; deriving may leave one of lowered nodes */
	struct var **locals;       /* pass 2 */
	size_t nlocals;
	/* ATTACH_RETURN, ATTACH_URETURN: expressions evaluated at entry and kept for the return (EX_SAVED) */
	struct expr **saved;
	size_t nsaved;
	void *priv;                /* provider's own data: resolved function, types */
	bool wild;                 /* sites are optional since a wildcard found them, not since the script says so */
	bool dropped;              /* left out with a warning: counts as found, and that is all */
	/* lock.c */
	uint32_t lock_shared, lock_excl; /* sets of lock groups */
};

struct provider {
	const char *name;          /* for -vv */
	/* Does this provider own points of this shape?  Looks at component names only. */
	bool (*match)(const struct point *p);
	/* Appends struct probe * for `p`; body and decl are filled in by the caller.  uses_target tells
	 * whether the handler refers to context variables (if not, many sites may share one probe).
	 * Returns 0, or -1 after diag_error (unknown function etc.). */
	int (*derive)(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out);
	/* Replaces a context variable (EX_TARGET, EX_ENTRY) of p's handler by lowered nodes.  Returns NULL
	 * after diag_error.  NULL pointer: this kind of probe has no context variables. */
	struct expr *(*target)(struct session *s, struct probe *p, struct expr *e, bool lvalue);
	/* Where a probe that rests on debug information is (dwarf_scope.h), or NULL: @var("x") is one of that file then.
	 * NULL pointer: no probe of this kind does. */
	struct dwarf_scope *(*scope)(struct probe *p);
	/* -L: appends " name:type" texts of the context variables of p. */
	void (*vars)(struct session *s, struct probe *p, GString *out);
	/* The points that there are, "timer.s(NUMBER)"; "{,.call,.return}" stands for several. See provider_patterns(). */
	const char *const *patterns;
};

/* provider.c: the table, NULL-terminated */
extern const struct provider *const providers[];
const struct provider *provider_find(const struct point *p);
/* The points of all providers, one by one: what --dump-probe-types prints and wildcards over built-in words go through. NULL-terminated, for good. */
const char *const *provider_patterns(void);

/*
 * target.c: lower every context variable, @cast, @var, @defined, @entry below *st in the handler of p (p NULL:
 * a function's body, where only @cast/@var/@defined with no probe context work).  Branches whose condition
 * @defined decides are pruned and never resolved.  Returns 0 or -1 after diag_error.
 */
int target_lower_stmt(struct session *s, struct probe *p, struct stmt **st);
int target_lower_expr(struct session *s, struct probe *p, struct expr **e);
/* target_op.c: does this @operator depend on the probe whose handler it is in? */
bool target_op_needs_probe(const struct expr *e);
/* target_cast.c: the C type that a runtime function's pragma `ctype: TYPE` says its result points to, or NULL. */
const struct ctype *target_pragma_type(struct session *s, const struct func *f);
/*
 * target_cast.c: lowers one EX_AUTOCAST once its base's C type is known; num: it is assigned to.  Returns the new
 * node, NULL after diag_error.
 */
struct expr *target_autocast(struct session *s, struct expr *e, const struct ctype *base);

#endif
