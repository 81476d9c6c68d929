/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of the translator: options, the arena, and what each pass leaves for the next.
 *
 * Ownership: everything reachable from a session lives until session_free().  AST nodes, names and
 * script strings come from the arena (arena_alloc, arena_strdup); GLib containers are owned by the field.
 */
#ifndef STAP_SESSION_H
#define STAP_SESSION_H

#include <stddef.h>
#include "ast.h"
#include "diag.h"

struct arena;
struct macros;        /* macro.h */
struct kernel_target; /* kernel.h */
struct types;         /* debuginfo/types.h: types and symbols of the target */

/* What the command line asked for; strings are borrowed from argv or the arena. */
struct options {
	const char *script_file;   /* NULL with -e / -l */
	bool is_example;           /* ... that --example named */
	GPtrArray *script_text;    /* -e TEXT (first), then -E texts; char * */
	bool have_e;
	GPtrArray *args;           /* script arguments, char * */
	GPtrArray *include_dirs;   /* -I, char * */
	GPtrArray *defines;        /* -D NAME[=VALUE], char * */
	GPtrArray *globals;        /* -G VAR=VALUE, char * */
	GPtrArray *data_files;     /* -d FILE, char * */
	int last_pass;             /* 1..5 */
	int verbose[6];            /* per pass, [0] is the general level */
	bool guru, unoptimized, keep_tmp, timing, suppress_warnings, warnings_as_errors;
	bool list, list_vars;      /* -l, -L */
	bool flight;               /* -F: the probes run on when stap has ended */
	const char *list_pattern;
	const char *cmd;           /* -c */
	int target_pid;            /* -x */
	int namespaces_pid;        /* --target-namespaces */
	const char *output;        /* -o */
	const char *size_spec;     /* -S */
	const char *module_name;   /* -m */
	const char *release;       /* -r */
	int buffer_mb;             /* -s, 0: default */
	int timeout_ms;            /* -T, 0: none */
	const char *vm;            /* --vm: release or "" ; NULL: not asked */
	bool skip_badvars, no_global_display, suppress_handler_errors, suppress_time_limits;
	bool no_cache, poison_cache, clean_cache;
	bool relink;               /* make the module anew though it is in the cache */
	bool prep;                 /* --prep */
	bool dump_functions, dump_aliases, dump_types;
	const char *compatible;    /* --compatible=V, NULL */
	int color;                 /* -1 auto, 0 never, 1 always */
};

/* An address of the target that only the running kernel tells: a variable's, say. */
struct address {
	const char *module;        /* NULL: the kernel */
	const char *symbol;        /* a symbol's or, in a module, a section's name */
	uint64_t offset;
	const char *what;          /* for messages: "variable 'jiffies'" */
	const char *build_id;      /* it is right for that build only, or NULL */
	/* of a module that arrives later: a symbol that it has once, and how far from there; or NULL */
	const char *anchor;
	int64_t from_anchor;
};

struct session {
	struct options opt;
	struct arena *arena;
	int pass;                  /* the running pass, 1..5, for messages */
	unsigned nerrors, nwarnings;
	struct diag_state *diag;   /* diag.c */

	/* target */
	struct kernel_target *kernel;
	struct cache *cache;       /* session_cache() */
	const char *tmpdir;        /* session_tmpdir(): removed at the end unless -k */
	struct types *types;       /* opened on first use: session_types() */
	GHashTable *dwarf_files;   /* debuginfo/dwarf_files.c */
	GHashTable *user_elfs;     /* user_elf.h: programs and libraries by path */
	void (*user_elf_close)(struct session *s);
	GPtrArray *user_files;     /* user_site.h: those that probes are in */

	/* pass 1 */
	struct macros *macros;     /* library macros, facts for preprocessor conditions, used arguments */
	GPtrArray *files;          /* struct file: the user's script first */
	struct library *library;   /* library.c: index of tapset files, parsed on demand */

	/* pass 2 */
	GPtrArray *probes;         /* struct probe, in order of declaration */
	GPtrArray *globals;        /* struct var, used ones */
	GPtrArray *funcs;          /* struct func, used ones */
	GPtrArray *embeds;         /* struct stmt, top-level embedded C in use */
	GPtrArray *addresses;      /* struct address, that the loader is asked for; NULL: none */
	int nlocks;

	/* pass 3 */
	const char *c_file;        /* path of the generated C */
	const char *embed_c_file;  /* users' embedded C, or NULL */
	/* pass 4 */
	const char *module_path;
};

void *arena_alloc(struct session *s, size_t size);            /* zeroed; aborts when memory is out */
char *arena_strdup(struct session *s, const char *str);
char *arena_strndup(struct session *s, const char *str, size_t len);
char *arena_printf(struct session *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* Copies the pointers of a GPtrArray into the arena and frees the array; NULL-safe; n may be NULL. */
void **arena_take(struct session *s, GPtrArray *a, size_t *n);

struct session *session_new(void);
void session_free(struct session *s);

/* build.c: opened, or made, at the first call.  NULL after diag_error. */
struct cache *session_cache(struct session *s);
const char *session_tmpdir(struct session *s);

/* The passes; each returns 0, or -1 after having reported why. */
int pass1_parse(struct session *s);   /* parse_main.c */
int pass2_resolve(struct session *s); /* resolve.c */
int pass3_emit(struct session *s);    /* gen.c: writes s->c_file */
int pass4_build(struct session *s);   /* build.c */
int pass5_run(struct session *s, int *status); /* run.c */

#endif
