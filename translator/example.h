/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts that come with stap, by name. */
#ifndef STAP_EXAMPLE_H
#define STAP_EXAMPLE_H

/* The path of the example NAME, of which ".stp" may be left out; NULL with a message in *err when there is none. Both are
 * the caller's. */
char *example_find(const char *name, char **err);
/* Prints the names, each with the first line of what its script says of itself, on standard output. */
void example_list(void);

#endif
