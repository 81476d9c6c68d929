/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STAP_RUN_H
#define STAP_RUN_H

struct session;

/* Can pass 5 be done at all?  Asked first, so that nobody waits for a module he cannot load.  0 or -1 after diag_error. */
int run_check(struct session *s);
/* --vm without a release: the kernel to take, NULL when there is none.  Lives as long as the program. */
const char *run_vm_release(struct session *s);

#endif
