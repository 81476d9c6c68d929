/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the name of a probe alias is what a written probe point stands for; wildcards and suffixes. */
#ifndef STAP_ALIAS_MATCH_H
#define STAP_ALIAS_MATCH_H

#include "ast.h"

/*
 * A piece of a function that the compiler has put elsewhere ("f.cold", "f.part.0", the latter also "f.isra.0.part.1"), where nobody enters the
 * function: wildcards do not mean it, unless they have a dot of their own.
 */
bool name_is_piece(const char *name, const char *pattern);
/* True when any component name of `p` has a wildcard. */
bool point_is_glob(const struct point *p);

/*
 * Compares the alias name `dotted` ("syscall.read") with the first components of `p`.  Returns how many
 * components of `p` the alias covers, 0 when it does not match; what is left is a suffix.  `*` stays
 * within a component, `**` goes across several and leaves no suffix.
 */
size_t alias_match(const char *dotted, const struct point *p);

struct session;
/*
 * `p`, a point with wildcards, as a provider's pattern spells it: "kernel.function(STRING).return" turns
 * kernel.function("f").* into kernel.function("f").return.  NULL when it does not match.
 */
struct point *point_from_pattern(struct session *s, const char *pattern, const struct point *p);
/*
 * For lists: the pattern where a wildcard of `p` stands for a word with an argument, which nobody knows:
 * "kernel.function(STRING)" for kernel.*; arguments that `p` has are filled in.  NULL when it does not.
 */
const char *pattern_as_listed(struct session *s, const char *pattern, const struct point *p);

#endif
