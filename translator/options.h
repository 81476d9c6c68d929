/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line, the options file and the environment. */
#ifndef STAP_OPTIONS_H
#define STAP_OPTIONS_H

#include "session.h"

/* What main() does with the result. */
enum options_result { OPTIONS_RUN, OPTIONS_DONE /* --help and the like */, OPTIONS_BAD };

/*
 * Reads SYSTEMTAP_DIR/rc, then argv, into o (zeroed by the caller).  Prints its own errors.  Strings are borrowed from argv or
 * never freed.
 */
enum options_result options_parse(struct options *o, int argc, char **argv);

#endif
