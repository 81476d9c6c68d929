/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the parts of the system are found: beside the program in its build tree, or installed.
 * All results live as long as the program.
 */
#ifndef STAP_PATHS_H
#define STAP_PATHS_H

/* The library of probe aliases and functions; SYSTEMTAP_TAPSET overrides. */
const char *stap_tapset_dir(void);
/* The runtime's sources: a directory with abi/ and module/ in it; SYSTEMTAP_RUNTIME overrides. */
const char *stap_runtime_dir(void);
/* Example scripts that come with stap. */
const char *stap_examples_dir(void);
/* The loader (SYSTEMTAP_STAPRUN overrides), and the virtual machine's program. */
const char *stap_staprun(void);
const char *stap_vm_program(void);
/* The user's or system's directory for options, caches ...: SYSTEMTAP_DIR, else ~/.systemtap */
const char *stap_user_dir(void);

#endif
