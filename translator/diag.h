/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diagnostics: errors and warnings as values.  Each has a position, the source line, a caret range
 * and a plain sentence; notes and help lines follow it.  Nothing here exits.  A capture scope
 * collects the errors of optional (?) and sufficient (!) probe points, and of @defined.
 */
#ifndef STAP_DIAG_H
#define STAP_DIAG_H

#include "ast.h"

struct session;

enum diag_kind { DIAG_ERROR, DIAG_WARNING };

/*
 * Reports an error (kind of pass: "parse", "semantic" is taken from s->pass) at loc; loc.src may be
 * NULL for none.  `tag` is a stable short name ("unknown-function"), shown under -vv and used by the tests.
 * Always returns -1.  The printed form:
 *     semantic error: unknown function 'pidd' [unknown-function]
 *       at foo.stp:3:9
 *      3 |   println(pidd())
 *        |           ^~~~
 *       help: did you mean 'pid'?
 */
int diag_error(struct session *s, struct loc loc, const char *tag, const char *fmt, ...) G_GNUC_PRINTF(4, 5);
void diag_warning(struct session *s, struct loc loc, const char *tag, const char *fmt, ...) G_GNUC_PRINTF(4, 5);
/* Attach to the last error or warning: a second place ("declared here"), or a way out. */
void diag_note(struct session *s, struct loc loc, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
void diag_help(struct session *s, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* "did you mean": the nearest of `names` (GPtrArray of char *) to `name`, or NULL when none is near. */
const char *diag_nearest(const char *name, const GPtrArray *names);

/* Between begin and end errors and warnings are kept, not printed and not counted. */
struct diag_capture;
struct diag_capture *diag_capture_begin(struct session *s);
/* Ends the scope; `keep` replays what was captured into the enclosing scope, else it is dropped.
 * Returns the number of errors captured. */
unsigned diag_capture_end(struct session *s, struct diag_capture *cap, bool keep);
/* The text of the first captured error (owned by cap), or NULL: for -v reports of skipped points. */
const char *diag_capture_first(const struct diag_capture *cap);

#endif
