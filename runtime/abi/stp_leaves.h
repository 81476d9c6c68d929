/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions of programs are left: what the translator finds, and the runtime's return probes at such places act on. */
#ifndef STP_LEAVES_H
#define STP_LEAVES_H

/*
 * Where a function is left (STP_AT_RETURNS), in the place of SEMAPHORE: in the low 32 bits how far the instruction is from the function's
 * start, signed; then what it is.
 */
enum stp_leaves {
	STP_LEAVES_RETURN = 0,     /* a return instruction */
	STP_LEAVES_OUT = 1,        /* a jump to a function that is not followed: it returns for this one, unseen */
	STP_LEAVES_FOR = 2,        /* a jump to one whose own places are here too (STP_LEAVES_OTHER) */
	STP_LEAVES_INDIRECT = 3,   /* a jump to an address that it computes; out of the function when its frame is gone */
	STP_LEAVES_NOT = 4,        /* nothing of that: the first instruction of a function that is followed */
	STP_LEAVES_KIND = 7,
	STP_LEAVES_OTHER = 8,      /* in another function, which this one may have jumped to */
	STP_LEAVES_ENTRY = 16,     /* it is that function's first instruction as well */
	STP_LEAVES_IF = 32,        /* a conditional jump; its condition code from bit 6 on */
	STP_LEAVES_CODE = 6,
	STP_LEAVES_SHIFT = 32,
};
#endif
