/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preprocessor, between lexer and parser: conditions %( ... %? ... %: ... %), macros (@define,
 * @name), script arguments ($1 @1 $# @#).  It works on tokens and looks at a branch that is not taken
 * only to find its end.
 */
#ifndef STAP_MACRO_H
#define STAP_MACRO_H

#include "lex.h"
#include "session.h"

/* What conditions can ask.  Strings live as long as the session. */
struct pp_env {
	const char *kernel_vr;   /* as uname -r prints it; kernel_v is its leading x.y.z */
	const char *arch;        /* "x86_64" */
	const char *runtime;     /* "kernel" */
	const char *systemtap_v; /* the SystemTap version whose language this is */
	const char *privilege;   /* systemtap_privilege: "stapdev" */
	/* Value of CONFIG_name, NULL when it is off or unknown. */
	const char *(*config)(void *data, const char *name);
	/* The library file that defines a macro, NULL when there is none. */
	const char *(*macro_path)(struct session *s, const char *name);
	/* Names of library macros (char *), for "did you mean"; may be NULL. */
	GPtrArray *(*macro_names)(struct session *s);
	void *data;
};

/* macro_env.c: fills it for the session's target kernel, on first use.  `env` comes zeroed. */
void pp_env_init(struct session *s, struct pp_env *env);

/* Defines the macros of a .stpm file for all scripts of the session; 0, or -1 after diag_error. */
int macro_load(struct session *s, struct source *src);

/* Marks argument number n (from 1; 0: all of them) as used; warns about those never used. */
void args_mark_used(struct session *s, size_t n);
void args_warn_unused(struct session *s);

struct macro;
struct pp_frame;

/* The stream of tokens of one source. */
struct pp {
	struct session *s;
	bool library, guru;
	bool old_words;          /* the script is of a time when `private` was a name like others (--compatible) */
	GHashTable *macros;      /* name -> struct macro: this file's own */
	GArray *frames;          /* struct pp_frame, the innermost last */
	GArray *conds;           /* struct pp_cond: open conditions */
	size_t expanded;         /* tokens that came out of macros so far */
	bool quiet_args;         /* in a comparison whose value does not matter */
	bool stop;               /* given up: nothing but T_EOF follows */
	unsigned nerrors;
	unsigned cond_errors;    /* of them before the condition that is being read */
};

void pp_init(struct pp *pp, struct session *s, struct source *src, bool library, bool guru);
void pp_free(struct pp *pp);
/* The next token of the script proper.  Errors of the preprocessor itself are reported here. */
void pp_next(struct pp *pp, struct token *t);
/* Adds notes to the last error: which macros the token came out of. */
void pp_note_expansion(struct pp *pp, const struct token *t);
/* Names of all macros in reach for "did you mean" (char *; the caller frees the array). */
GPtrArray *pp_macro_names(struct pp *pp);

/* Between macro.c and macro_cond.c: tokens with macros and arguments expanded, conditions not. */
void pp_expand(struct pp *pp, struct token *t);
const struct pp_env *pp_get_env(struct session *s);
/* Evaluates a condition up to and including its `%?`. */
bool pp_condition(struct pp *pp, struct loc open);
int pp_error(struct pp *pp, const struct token *t, const char *tag, const char *fmt, ...) G_GNUC_PRINTF(4, 5);

/* rpm-like comparison of version strings: <0, 0, >0. */
int version_compare(const char *a, const char *b);

#endif
