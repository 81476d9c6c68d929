/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lengths of instructions against objdump: all of a library's, all of the kernel's where its vmlinux is here, and the rarer
 * forms of operands from the assembler.
 */
/* link: translator/debuginfo/x86_length.c */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include "unit.h"
#include "debuginfo/x86_length.h"

/* The bytes of a line "  addr:\t48 89 e5 \tmov ..." of objdump; 0 for other lines and for bytes that are no instruction. */
static size_t line_bytes(const char *line, uint8_t *bytes, size_t room)
{
	const char *p = strchr(line, ':');
	size_t n = 0;

	if (!p || p[1] != '\t' || strstr(line, "(bad)") || strstr(line, ".byte"))
		return 0;
	for (p += 2; isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) && p[2] == ' ' && n < room; p += 3)
		bytes[n++] = strtoul(p, NULL, 16);
	return n;
}

/* Among tables, what objdump shows as prefixes of nothing. */
static bool is_prefix(const uint8_t *bytes, size_t n)
{
	static const char prefixes[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3";

	while (n && ((bytes[n - 1] & 0xf0) == 0x40 || memchr(prefixes, bytes[n - 1], sizeof(prefixes) - 1)))
		n--;
	return !n;
}

/* WAIT is an instruction of its own, which objdump shows with the one behind it. */
static size_t length_of(const uint8_t *bytes, size_t n)
{
	uint8_t more[32] = { 0 };
	size_t wait = bytes[0] == 0x9b && n > 1;
	unsigned len;

	memcpy(more, bytes, n);
	memset(more + n, 0x90, sizeof(more) - n);
	len = x86_length(more + wait, sizeof(more) - wait);
	return len ? len + wait : 0;
}

static unsigned compare(const char *command)
{
	FILE *f = popen(command, "r");
	char line[512];
	unsigned n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		uint8_t bytes[16];
		size_t want = line_bytes(line, bytes, sizeof(bytes)), have;

		if (!want || is_prefix(bytes, want))
			continue;
		n++;
		have = length_of(bytes, want);
		if (have != want) {
			line[strcspn(line, "\n")] = '\0';
			UNIT_FAIL("%zu, not %zu bytes:%s", have, want, line);
		}
		if (want > 1 && bytes[0] != 0x9b && x86_length(bytes, want - 1))
			UNIT_FAIL("cut off, but an instruction:%s", line);
	}
	if (f)
		pclose(f);
	return n;
}

TEST(library)
{
	CHECK(compare("objdump -d -w -M intel64 /lib/x86_64-linux-gnu/libc.so.6") > 200000);
}

TEST(vectors)
{
	/* where it is installed: much of it is written by hand, with the newest instructions */
	static const char path[] = "/lib/x86_64-linux-gnu/libcrypto.so.3";
	char text[200];

	snprintf(text, sizeof(text), "objdump -d -w -M intel64 --section=.text %s", path);
	if (access(path, R_OK) == 0)
		CHECK(compare(text) > 100000);
}

TEST(forms)
{
	static const char source[] =
		"movabs $0x1122334455667788,%rax; mov %al,0x1122334455667788; addr32 mov (%eax),%ebx; enter $16,$1; lretl $8; ret $4\n"
		"mov $1,%ax; mov $1,%eax; mov $1,%rax; movabs $-1,%r15; push $0x1234; pushw $0x1234; imul $0x123,%ax,%bx; imul $1,%eax,%ebx\n"
		"test $1,%al; testb $1,(%rax); testw $1,(%rax); testl $1,0x100(%rax); notl (%rax); divq 8(%rsp,%rax,4); test $1,%ax; test $1,%eax\n"
		"mov %cr3,%rax; mov %rax,%dr7; mov %cr8,%rax; shld $3,%eax,%ebx; shld %cl,%eax,%ebx; bt $3,%eax; bts %eax,(%rbx)\n"
		"lea 0x0(%rip),%rax; lea 0x0(,%rax,8),%rax; lea (%rbp),%rax; lea (%r13,%r12,2),%rax; mov 0x12345678,%eax; lea (%rsp),%rax\n"
		"cmpxchg16b (%rax); xbegin .; xabort $1; ud1 (%rax),%eax; ud2; rep movsq; lock addl $1,(%rax); notrack jmp *%rax; bnd ret\n"
		"pshufd $1,%xmm0,%xmm1; psrldq $3,%xmm0; pextrw $1,%xmm0,%eax; pinsrw $1,%eax,%xmm0; cmpps $1,%xmm0,%xmm1; shufps $1,%xmm0,%xmm1\n"
		"pshufb %xmm0,%xmm1; palignr $1,%xmm0,%xmm1; aeskeygenassist $1,%xmm0,%xmm1; crc32q %rax,%rbx; movbe %eax,(%rbx); extrq $1,$2,%xmm0\n"
		"insertq $1,$2,%xmm0,%xmm1; extrq %xmm0,%xmm1; vmread %rax,%rbx; pfadd (%rax),%mm0; prefetchw (%rax); endbr64; pause; sysretq; swapgs\n"
		"vzeroupper; vaddps %ymm0,%ymm1,%ymm2; vpshufd $1,%ymm0,%ymm1; vpsrldq $1,%ymm0,%ymm1; vblendvps %ymm0,%ymm1,%ymm2,%ymm3\n"
		"vpextrw $1,%xmm0,%eax; vcmpps $1,%ymm0,%ymm1,%ymm2; vshufps $1,%ymm0,%ymm1,%ymm2; vperm2f128 $1,%ymm0,%ymm1,%ymm2; andn %eax,%ebx,%ecx\n"
		"rorx $1,%eax,%ebx; vgatherdps %ymm0,(%rax,%ymm1,4),%ymm2; kmovw %k1,%eax; kshiftlw $1,%k1,%k2; vaddps (%rax){1to16},%zmm1,%zmm2\n"
		"vaddps 64(%rax),%zmm1,%zmm2{%k1}{z}; vaddps 0x12345(%rax),%zmm1,%zmm2; vpternlogd $1,%zmm0,%zmm1,%zmm2; vpsrld $1,%zmm0,%zmm1\n"
		"vcmpps $1,%zmm0,%zmm1,%k1; vinserti32x4 $1,%xmm0,%zmm1,%zmm2; vaddph %zmm0,%zmm1,%zmm2; vcvtps2qq (%rax),%zmm1; vpextrb $1,%xmm20,%eax\n"
		"vfmaddps %xmm0,%xmm1,%xmm2,%xmm3; vpcmov %xmm0,%xmm1,%xmm2,%xmm3; vprotb $1,%xmm0,%xmm1; vprotb %xmm0,%xmm1,%xmm2; bextr $0x1234,%eax,%ebx\n"
		"blcfill %eax,%ebx; pop (%rax); pop 8(%rsp); popw (%rax); xlat; loop .; jrcxz .; in $1,%al; out %al,(%dx); int $3; int3; int $0x80\n"
		".byte 0x66,0x66,0x2e,0xf,0x1f,0x84,0,0,0,0,0; nopl 0(%rax); xchg %ax,%ax; fstcw (%rax); fnstcw (%rax); fninit; movsbl %al,%eax; jmp .+0x1000\n"
		"mov %fs:0,%rax; mov %gs:0x28,%rax; call *%gs:(%rax); sha256rnds2 %xmm0,%xmm1; gf2p8affineqb $1,%xmm0,%xmm1; invpcid (%rax),%rbx\n";
	char command[] = "/tmp/x86-forms-XXXXXX", text[400];
	int fd = mkstemp(command);
	FILE *f;
	unsigned n;

	CHECK(fd >= 0);
	snprintf(text, sizeof(text), "as -o %s -", command);
	f = popen(text, "w");
	CHECK(f && fputs(source, f) >= 0 && pclose(f) == 0);
	snprintf(text, sizeof(text), "objdump -d -w -M intel64 %s", command);
	n = compare(text);
	CHECK(n > 115);
	close(fd);
	unlink(command);
}

TEST(kernel)
{
	/* half a minute: for those who change the table */
	const char *vmlinux = getenv("STAP_TEST_VMLINUX");
	char text[4200];

	if (vmlinux) {
		snprintf(text, sizeof(text), "objdump -d -w -M intel64 --section=.text '%s'", vmlinux);
		CHECK(compare(text) > 1000000);
	}
}

TEST(boundaries)
{
	static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0xe8, 1, 2, 3, 4, 0xc3, 0x06, 0x90 };
	size_t before = 0, after = 0;

	CHECK(x86_boundary(code, sizeof(code), 0, &before, &after) == X86_BEGINS);
	CHECK(x86_boundary(code, sizeof(code), 4, &before, &after) == X86_BEGINS);
	CHECK(x86_boundary(code, sizeof(code), 6, &before, &after) == X86_INSIDE && before == 4 && after == 9);
	CHECK(x86_boundary(code, 6, 6, &before, &after) == X86_UNKNOWN);
	CHECK(x86_boundary(code, sizeof(code), 10, &before, &after) == X86_BEGINS);
	CHECK(x86_boundary(code, sizeof(code), 11, &before, &after) == X86_UNKNOWN);
}

TEST(hostile)
{
	uint8_t bytes[16];

	/* whatever bytes: no more than there are, which the sanitizer watches */
	srand(1);
	for (unsigned i = 0; i < 300000; i++) {
		size_t n = 1 + rand() % 16;
		uint8_t *exact = malloc(n);
		unsigned len;

		for (size_t k = 0; k < n; k++)
			bytes[k] = rand() >> 4;
		memcpy(exact, bytes, n);
		len = x86_length(exact, n);
		if (len > n || len > 15)
			UNIT_FAIL("%u bytes of %zu", len, n);
		free(exact);
	}
}

RUN_TESTS()
