/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that moves its stack while functions run, as Go's runtime does: the stack is copied to another place, the old one filled with
 * rubbish. What Go leaves for others to find is here as well: the note, and the bounds of the stack where fs:-8 points to.
 * work(n) gives 2n + 1 after a move; down(n) calls itself, and work at the bottom.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK 65536

asm(".pushsection .note.go.buildid, \"a\", @note\n"
    "	.long 4, 4, 4\n	.asciz \"Go\\0\"\n	.ascii \"test\"\n	.popsection\n");

struct bounds {
	unsigned long low, high;
};
static __thread struct bounds *running;    /* the only thread-local word: fs:-8 */
static char *room[2];
static int now;
long moves;

/* From asm: copies the stack from sp on to the other room; the stack pointer there. */
__attribute__((used, noinline)) unsigned long relocate(unsigned long sp)
{
	struct bounds *b = running;
	unsigned long used = b->high - sp, to;
	char *old = room[now];

	now = !now;
	moves++;
	to = (unsigned long)room[now] + STACK - used;
	memcpy((void *)to, (void *)sp, used);
	memset((void *)sp, 0xcc, used);
	(void)old;
	b->low = (unsigned long)room[now];
	b->high = b->low + STACK;
	return to;
}

long work(long n);
long down(long n);
long on_stack(unsigned long top, long (*fn)(long), long n);
asm(".text\n"
    "move_stack:\n	mov %rsp, %rdi\n	sub $8, %rsp\n	call relocate\n	mov %rax, %rsp\n	ret\n"
    ".globl work\n.type work, @function\nwork:\n	push %rbx\n	mov %rdi, %rbx\n	call move_stack\n	test %rbx, %rbx\n	js 1f\n"
    "	lea 1(%rbx,%rbx), %rax\n	pop %rbx\n	ret\n1:	mov $-1, %rax\n	pop %rbx\n	repz ret\n.size work, . - work\n"
    ".globl down\n.type down, @function\ndown:\n	push %rbx\n	mov %rdi, %rbx\n	test %rdi, %rdi\n	jz 1f\n	dec %rdi\n	call down\n"
    "	add %rbx, %rax\n	pop %rbx\n	ret\n1:	mov $100, %rdi\n	call work\n	pop %rbx\n	ret\n.size down, . - down\n"
    ".globl on_stack\non_stack:\n	push %rbp\n	push %rbx\n	mov %rsp, %rbp\n	mov %rdi, %rsp\n	mov %rdx, %rdi\n	call *%rsi\n	mov %rbp, %rsp\n"
    "	pop %rbx\n	pop %rbp\n	ret\n");

int main(int argc, char **argv)
{
	struct bounds b;
	long sum = 0, i, n = argc > 1 ? atoi(argv[1]) : 3;

	room[0] = malloc(STACK);
	room[1] = malloc(STACK);
	running = &b;
	for (i = -1; i < n; i++) {
		b.low = (unsigned long)room[now];
		b.high = b.low + STACK;
		sum += on_stack(b.high & ~15ul, i < 0 ? work : down, i);
	}
	printf("sum %ld after %ld moves\n", sum, moves);
	return 0;
}
