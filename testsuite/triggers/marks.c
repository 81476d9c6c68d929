/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with marks whose operands have every form that compilers choose: the notes are written by hand here, in
 * the format that <sys/sdt.h> leaves.  Prints what each mark passes, and how often a mark with a counter was enabled.
 * `marks N` runs through all of them N times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOTE(provider, name, semaphore, args) \
	"990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n" \
	".balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n" \
	"992: .balign 4\n" \
	"993: .8byte 990b, _.stapsdt.base, " semaphore "\n" \
	".asciz \"" provider "\", \"" name "\", \"" args "\"\n" \
	"994: .balign 4\n" \
	".popsection\n" \
	".ifndef _.stapsdt.base\n" \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n" \
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n" \
	".popsection\n.endif\n"
#define MARK(name, args, ...) asm volatile(NOTE("forms", name, "0", args) : : __VA_ARGS__)

unsigned short counted_semaphore __attribute__((section(".probes"), used));
int global_int = -77;
unsigned long global_array[4] = { 10, 20, 30, 40 };
static char text[] = "hello from the program";

__attribute__((noinline)) static void registers(long a)
{
	MARK("reg64", "-8@%%rdi 8@%%r9", "D"(a));
	MARK("reg32", "-4@%%edi 4@%%edi", "D"(a));
	MARK("reg16", "-2@%%di 2@%%di", "D"(a));
	MARK("reg8", "-1@%%dil 1@%%dil", "D"(a));
	MARK("high8", "1@%%ah -1@%%al", "a"(0x81f2));
}

__attribute__((noinline)) static void memory(long *frame, long index)
{
	MARK("memory", "-8@(%%rsi) 8@8(%%rsi) 4@16(%%rsi,%%rdx,8) -4@-1(%%rsi,%%rdx)", "S"(frame), "d"(index));
	MARK("symbol", "-4@global_int(%%rip) 8@global_array+8(%%rip) 8@16+global_array(%%rip)", "S"(frame));
	MARK("constant", "-4@$-5 4@$5 8@$0x1234567890 -1@$255", "S"(frame));
	MARK("string", "8@%%rsi", "S"(text));
	MARK("none", "", "S"(frame));
	MARK("float", "8f@%%xmm0 4@$9", "S"(frame));
	MARK("unsized", "%%rsi $3", "S"(7L));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, enabled = 0;
	long frame[8] = { -1, 2, 3, 4, 5, 6, 7, 8 };

	for (int i = 0; i < n; i++) {
		registers(-3 - i);
		memory(frame, 1);
		if (counted_semaphore)
			enabled++;
		asm volatile(NOTE("other", "counted", "counted_semaphore", "-4@%%edi") : : "D"(i));
		asm volatile(NOTE("other", "two__words", "0", "-4@%%edi") : : "D"(i));
		asm volatile(NOTE("other", "string", "0", "8@%%rdi") : : "D"(text + 6));
	}
	printf("enabled %d\n", enabled);
	fflush(stdout);
	return 0;
}
