/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STAP_RUN_H
#define STAP_RUN_H

struct session;

/* Can pass 5 be done at all?  Asked first, so that nobody waits for a module he cannot load.  0 or -1 after diag_error. */
int run_check(struct session *s);
/*
 * vm_release.c.  The newest kernel that the virtual machine can boot, or get for that, has headers here, and matches the wish of --vm or
 * -r; NULL: there is none.  Lives as long as the program.  Getting one takes a while, and says so.
 */
const char *vm_release(struct session *s);

#endif
