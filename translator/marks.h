/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks in stap itself, of provider "stap", that scripts find as stap.pass1a and so on (tapsets/stap_self.stp): where a pass
 * begins and ends, what is run.  A mark is a no-op and a note in the program's file, in the format that user-space probes
 * know (translator/user_elf_notes.c); on other processors than x86-64 there are none.
 */
#ifndef MARKS_H
#define MARKS_H

#ifdef __x86_64__
#define STAP_MARK_NOTE(name, args) \
	"990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n" \
	".balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n" \
	"992: .balign 4\n" \
	"993: .8byte 990b, _.stapsdt.base, 0\n" \
	".asciz \"stap\", \"" #name "\", \"" args "\"\n" \
	"994: .balign 4\n" \
	".popsection\n" \
	".ifndef _.stapsdt.base\n" \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n" \
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n" \
	".popsection\n.endif\n"
/* At the place where it stands, with one value or two: pointers or integers. */
#define STAP_MARK(name, a) __asm__ volatile(STAP_MARK_NOTE(name, "8@%0") : : "r"((long)(a)))
#define STAP_MARK2(name, a, b) __asm__ volatile(STAP_MARK_NOTE(name, "8@%0 8@%1") : : "r"((long)(a)), "r"((long)(b)))
#else
#define STAP_MARK(name, a) ((void)(a))
#define STAP_MARK2(name, a, b) ((void)(a), (void)(b))
#endif
#endif
