/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of marks, as <sys/sdt.h> leaves them in notes: "-4@%edi 8@-24(%rbp) 4@$5". */
#ifndef STAP_SDT_OPERAND_H
#define STAP_SDT_OPERAND_H

#include "target.h"
#include "user_elf.h"

/* Texts of the arguments of a mark, in the arena; ended by NULL. */
char **sdt_arguments(struct session *s, const struct user_mark *m);
/* Size and sign of an argument. */
void sdt_size(const char *arg, unsigned *size, bool *is_signed);
/*
 * The argument's value as an expression over the registers at the mark.  NULL: *why (in the arena) says what is not
 * understood.
 */
struct expr *sdt_operand(struct session *s, struct user_elf *ue, const struct user_mark *m, const char *arg, struct loc loc,
			 const char **why);

#endif
