/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a script names: programs by path, through $PATH, by pattern, by build id or by process, scripts by their
 * interpreter, and libraries of a program.
 */
#ifndef STAP_USER_PATH_H
#define STAP_USER_PATH_H

#include "session.h"

struct user_elf;

/*
 * Programs that `name` stands for, as struct user_elf *; `loc` is where the script has it.  A pattern gives every ELF
 * program that matches.  NULL after diag_error; else at least one, to be freed.
 */
GPtrArray *user_programs(struct session *s, const char *name, struct loc loc);
/* The program of a running process; NULL after diag_error. */
struct user_elf *user_process_program(struct session *s, int pid, struct loc loc);
/*
 * The file that is mapped executable at an address of a running process, and that address in the file (*file_addr); NULL after
 * diag_error.
 */
struct user_elf *user_mapped_file(struct session *s, int pid, uint64_t addr, uint64_t *file_addr, struct loc loc);
/* The program that -c or -x names; `what` is what the script says; NULL after diag_error. */
struct user_elf *user_target_program(struct session *s, const char *what, struct loc loc);
/*
 * Libraries: by path; by a name or pattern among those that the program needs, directly or not, and in the dynamic
 * linker's directories.  NULL after diag_error.
 */
GPtrArray *user_libraries(struct session *s, struct user_elf *program, const char *name, struct loc loc);

#endif
