/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of user programs, for whole libraries: symbols against libdwfl's own search, frames against what libdw computes
 * from the same .eh_frame, a running program's stack against libdwfl's unwinder, and tables that are damaged.
 */
/* link: runtime/module/utab.c runtime/module/utab_sym.c runtime/module/utab_unwind.c runtime/module/utab_line.c runtime/tables/buf.c runtime/tables/image.c runtime/tables/symbols.c runtime/tables/pairs.c runtime/tables/cfi.c runtime/tables/cfi_run.c runtime/tables/cfi_rule.c runtime/tables/lines.c runtime/tables/perf_map.c translator/debuginfo/plt_stubs.c runtime/tables/encode.c */
/* cflags: -Iruntime/tables -iquote translator/debuginfo */
/* libs: -ldw -lelf -l:libiberty.a */
#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit.h"
#include "utab.h"
#include "tables.h"

static const char *const files[] = { "/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6", "/bin/bash", "/lib64/ld-linux-x86-64.so.2" };
#define NFILES (sizeof(files) / sizeof(files[0]))

static struct stp_utab *make(const char *path, unsigned what)
{
	int fd = open(path, O_RDONLY);
	const char *err = "cannot be opened";
	struct buf b = { 0 };
	struct stp_utab *t;

	if (fd < 0 || table_make(fd, what, &b, &err)) {
		UNIT_FAIL("%s: %s", path, err);
		return NULL;
	}
	close(fd);
	t = malloc(b.n); /* exactly as large, so that the sanitizer sees every byte too many */
	memcpy(t, b.p, b.n);
	buf_free(&b);
	CHECK(stp_utab_check(t, t->size));
	return t;
}

/* Our name is one that libdwfl has at the same address, or libdwfl's own answer. */
static void check_symbol(struct image *im, const struct stp_utab *t, u64 addr)
{
	char name[STP_UTAB_NAME + 1];
	struct stp_utab_sym s;
	GElf_Off off;
	GElf_Sym sym;
	const char *want = dwfl_module_addrinfo(im->mod, addr + im->bias, &off, &sym, NULL, NULL, NULL);
	bool found = stp_utab_find(t, &t->func, addr, &s);

	if (!want || (GELF_ST_TYPE(sym.st_info) != STT_FUNC && GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC) || off >= sym.st_size)
		return;
	if (!found || addr - s.addr != off) {
		UNIT_FAIL("%#llx: %s+%#" PRIx64 " is not found", addr, want, off);
		return;
	}
	CHECK_INT(s.size, sym.st_size);
	name[stp_utab_name(t, &t->func, &s, name, sizeof(name) - 1)] = 0;
	CHECK(name[0] && strchr(name, '@') == NULL);
}

TEST(symbols)
{
	size_t f, i;

	for (f = 0; f < NFILES; f++) {
		struct stp_utab *t = make(files[f], STP_TABLE_FUNC);
		int fd = open(files[f], O_RDONLY);
		struct image im;
		const char *err;

		if (!t || image_open(&im, fd, &err))
			return;
		for (i = 0; i < im.nseg; i++) {
			u64 addr = im.base + im.seg[i].addr, end = addr + im.seg[i].memsz;

			for (; (im.seg[i].flags & 1) && addr < end; addr += 101)
				check_symbol(&im, t, addr);
		}
		image_close(&im);
		close(fd);
		free(t);
	}
}

int table_test_object[33] = { 1 };
static char table_test_bss[1000];
TEST(names_of_this_program)
{
	struct stp_utab *t = make("/proc/self/exe", STP_TABLE_FUNC | STP_TABLE_DATA);
	char name[64];
	struct stp_utab_sym s;
	extern char __executable_start[] __attribute__((visibility("hidden")));
	u64 at = (u64)&table_test_object[2] - (u64)__executable_start;

	if (!t)
		return;
	CHECK(stp_utab_find(t, &t->data, at, &s));
	name[stp_utab_name(t, &t->data, &s, name, sizeof(name) - 1)] = 0;
	CHECK_STR(name, "table_test_object");
	CHECK_INT(at - s.addr, 8);
	CHECK_INT(s.size, sizeof(table_test_object));
	CHECK(stp_utab_find(t, &t->data, (u64)&table_test_bss[999] - (u64)__executable_start, &s));
	name[stp_utab_name(t, &t->data, &s, name, sizeof(name) - 1)] = 0;
	CHECK_STR(name, "table_test_bss");
	CHECK(!stp_utab_find(t, &t->func, 1, &s));
	name[stp_utab_name(t, &t->data, &s, name, 5)] = 0;
	CHECK_STR(name, "table");
	free(t);
}

TEST(segments)
{
	struct stp_utab *t = make("/bin/bash", 0);
	const struct stp_utab_seg *s;
	u32 i, bss = 0;
	u64 addr;

	if (!t)
		return;
	s = (const void *)((char *)t + t->seg);
	for (i = 0; i < t->nseg; i++) {
		CHECK(stp_utab_addr(t, s[i].offset + s[i].filesz / 2, s[i].flags & 1, &addr));
		CHECK_INT(addr, t->base + s[i].addr + s[i].filesz / 2);
		if (s[i].memsz > s[i].filesz) {
			CHECK(stp_utab_bss_addr(t, s[i].offset + s[i].memsz - 1, &addr));
			CHECK_INT(addr, t->base + s[i].addr + s[i].memsz - 1);
			bss++;
		}
	}
	CHECK_INT(bss, 1);
	CHECK(!stp_utab_bss_addr(t, s[0].offset, &addr));
	CHECK(!stp_utab_bss_addr(t, 1ULL << 40, &addr));
	CHECK(!stp_utab_addr(t, 1ULL << 40, true, &addr));
	free(t);
}

/* Of this program's own code, against libdwfl. */
TEST(lines)
{
	struct stp_utab *t = make("/proc/self/exe", STP_TABLE_LINES);
	int fd = open("/proc/self/exe", O_RDONLY);
	unsigned compared = 0;
	struct image im;
	const char *err;
	size_t i;

	if (!t || image_open(&im, fd, &err))
		return;
	for (i = 0; i < im.nseg; i++) {
		u64 addr = im.base + im.seg[i].addr, end = addr + im.seg[i].memsz;

		for (; (im.seg[i].flags & 1) && addr < end; addr += 37) {
			Dwfl_Line *l = dwfl_module_getsrc(im.mod, addr + im.bias);
			u32 line = 0;
			const char *file = stp_utab_line(t, addr, &line), *want;
			int n = 0;

			want = l ? dwfl_lineinfo(l, NULL, &n, NULL, NULL, NULL) : NULL;
			if (!want || !n)
				continue;
			compared++;
			if (!file || strcmp(file, want) || (int)line != n)
				UNIT_FAIL("%#llx: %s:%u, not %s:%d", addr, file ? file : "?", line, want, n);
		}
	}
	CHECK(compared > 500);
	image_close(&im);
	close(fd);
	free(t);
}

/* A row at the very end of a sequence, as assemblers leave them behind a call that does not return, says nothing of what follows:
 * the C library's start code here, between the unit's unlikely code and its other. */
extern char _start[];
TEST(leftover_line)
{
	struct stp_utab *t = make("/proc/self/exe", STP_TABLE_LINES);
	u64 here = (uintptr_t)_start;
	const char *file;
	struct image im;
	const char *err;
	int fd = open("/proc/self/exe", O_RDONLY);
	GElf_Sym sym;
	u32 line = 0;
	int i;

	asm volatile(".pushsection .text.unlikely.leftover,\"ax\",@progbits\n\tnop\n\t.loc 1 7\n\t.loc 1 8\n\t.popsection");
	if (!t || image_open(&im, fd, &err))
		return;
	for (i = 1; i < dwfl_module_getsymtab(im.mod); i++) {
		const char *name = dwfl_module_getsym(im.mod, i, &sym, NULL);

		if (name && !strcmp(name, "_start"))
			here = sym.st_value - im.bias;
	}
	CHECK(here != (uintptr_t)_start);
	file = stp_utab_line(t, here, &line);
	if (file && line)
		UNIT_FAIL("_start is at %s:%u", file, line);
	image_close(&im);
	close(fd);
	free(t);
}

/* ---- rows: a made-up machine state, whose memory is a function of the address ---- */
static u64 regs[17];
static u64 memory_at(u64 addr)
{
	return (addr * 0x9e3779b97f4a7c15ULL ^ addr >> 7) | 1ULL << 63;
}
static bool memory_read(void *data, u64 addr, u64 *v)
{
	*v = memory_at(addr);
	return true;
}

/* DWARF expressions as far as frames use them. */
static bool evaluate(const Dwarf_Op *op, size_t n, u64 cfa, u64 *ret)
{
	u64 st[16] = { 0 };
	size_t d = 0, i;

	for (i = 0; i < n && d < 14; i++) {
		unsigned a = op[i].atom;

		if (a >= DW_OP_breg0 && a <= DW_OP_breg16)
			st[d++] = regs[a - DW_OP_breg0] + op[i].number;
		else if (a == DW_OP_bregx && op[i].number <= 16)
			st[d++] = regs[op[i].number] + op[i].number2;
		else if (a == DW_OP_call_frame_cfa)
			st[d++] = cfa;
		else if (a >= DW_OP_lit0 && a <= DW_OP_lit31)
			st[d++] = a - DW_OP_lit0;
		else if (a == DW_OP_plus_uconst)
			st[d - 1] += op[i].number;
		else if (a == DW_OP_deref)
			st[d - 1] = memory_at(st[d - 1]);
		else if (a == DW_OP_and)
			d--, st[d - 1] &= st[d];
		else if (a == DW_OP_plus)
			d--, st[d - 1] += st[d];
		else if (a == DW_OP_shl)
			d--, st[d - 1] <<= st[d];
		else if (a == DW_OP_ge)
			d--, st[d - 1] = (s64)st[d - 1] >= (s64)st[d];
		else if (a != DW_OP_stack_value)
			return false;
	}
	*ret = st[0];
	return d == 1;
}

static bool register_value(Dwarf_Frame *fr, int reg, u64 cfa, u64 *ret)
{
	Dwarf_Op mem[3], *op;
	size_t n;

	if (dwarf_frame_register(fr, reg, mem, &op, &n))
		return false;
	if (!n && op == mem)
		return false; /* undefined */
	if (!n) {
		*ret = regs[reg];
		return true;
	}
	if (!evaluate(op, n, cfa, ret))
		return false;
	if (op[n - 1].atom != DW_OP_stack_value)
		*ret = memory_at(*ret);
	return true;
}

static unsigned rows_compared, rows_without;

static void check_row(const struct stp_utab *t, Dwarf_CFI *cfi, u64 pc)
{
	struct stp_uregs r = { .ip = pc, .sp = regs[7], .bp = regs[6], .bp_known = true, .all = regs };
	Dwarf_Frame *fr = NULL;
	Dwarf_Op *op;
	size_t n;
	bool signal, described = !dwarf_cfi_addrframe(cfi, pc, &fr);
	enum stp_step step = stp_utab_step(stp_utab_rule(t, pc), pc, &r, memory_read, NULL, &signal);
	u64 cfa, ra, bp;

	regs[16] = pc;
	if (!described) {
		CHECK_INT(step, STP_STEP_LOST);
		return;
	}
	if (!dwarf_frame_cfa(fr, &op, &n) && evaluate(op, n, 0, &cfa) && register_value(fr, 16, cfa, &ra)) {
		rows_compared++;
		if (step != STP_STEP_OK) {
			rows_without++;
		} else if (r.sp != cfa || r.ip != ra) {
			UNIT_FAIL("at %#llx: cfa %#llx, not %#llx; return address %#llx, not %#llx", pc, r.sp, cfa, r.ip, ra);
		} else if (register_value(fr, 6, cfa, &bp)) {
			if (r.bp != bp || !r.bp_known)
				UNIT_FAIL("at %#llx: rbp %#llx, not %#llx", pc, r.bp, bp);
		}
	}
	free(fr);
}

TEST(rows)
{
	size_t f, i;

	for (i = 0; i < 17; i++)
		regs[i] = 0x7ff000000000 + 0x10010 * ((i + 10) % 17); /* rsp is the lowest */
	for (f = 0; f < NFILES; f++) {
		struct stp_utab *t = make(files[f], STP_TABLE_ROWS);
		int fd = open(files[f], O_RDONLY);
		struct image im;
		const char *err;
		Dwarf_Addr bias;
		Dwarf_CFI *cfi;

		if (!t || image_open(&im, fd, &err))
			return;
		cfi = dwfl_module_eh_cfi(im.mod, &bias);
		for (i = 0; i < im.nseg; i++) {
			u64 addr = im.base + im.seg[i].addr, end = addr + im.seg[i].memsz;

			for (; (im.seg[i].flags & 1) && addr < end; addr += 61)
				check_row(t, cfi, addr);
		}
		image_close(&im);
		close(fd);
		free(t);
	}
	CHECK(rows_compared > 5000);
	/* frames that rest on registers which callees keep (not followed) are rare */
	CHECK(rows_without * 100 < rows_compared);
}

/* ---- lists of just-in-time compilers ---- */
static struct stp_utab *make_perf_map(const char *text, size_t n)
{
	int fd = memfd_create("map", 0);
	const char *err = NULL;
	struct buf b = { 0 };
	struct stp_utab *t = NULL;

	if (write(fd, text, n) == (ssize_t)n && !table_make(fd, STP_TABLE_FUNC | STP_TABLE_PERF_MAP, &b, &err)) {
		t = malloc(b.n);
		memcpy(t, b.p, b.n);
		CHECK(stp_utab_check(t, b.n));
		buf_free(&b);
	} else {
		CHECK(err != NULL);
	}
	close(fd);
	return t;
}

/* The name at a run-time address, "" where there is none. */
static const char *perf_map_name(const struct stp_utab *t, u64 addr)
{
	static char name[STP_UTAB_NAME + 1];
	struct stp_utab_sym s;
	u64 at;

	name[0] = '\0';
	if (stp_utab_addr(t, addr, true, &at) && stp_utab_find(t, &t->func, at, &s))
		name[stp_utab_name(t, &t->func, &s, name, STP_UTAB_NAME)] = '\0';
	return name;
}

TEST(perf_map)
{
	static const char text[] = "7f0000001000 100 LazyCompile:~f /a b.js:1:2\n0x7f0000001100 0x10 hexed\njunk\n7f0000002000 0 empty\n"
		"7f0000003000 1000 old\n7f0000003800 100 new\nfffffffffffffff0 20 wraps\n7f0000001200 20 con\ttrol\n1000 10 far away\n"
		"7f0000001080 40 later\n7f0000001200 8 again\n7f0000005000 20 half";
	struct stp_utab *t = make_perf_map(text, sizeof(text) - 1);
	char copy[sizeof(text)];
	unsigned i, k, seed = 1;

	if (!t)
		return;
	CHECK_STR(perf_map_name(t, 0x7f0000001010), "LazyCompile:~f /a b.js:1:2");
	CHECK_STR(perf_map_name(t, 0x7f0000001080), "later");
	CHECK_STR(perf_map_name(t, 0x7f00000010f0), "");
	CHECK_STR(perf_map_name(t, 0x7f000000110f), "hexed");
	CHECK_STR(perf_map_name(t, 0x7f0000001110), "");
	CHECK_STR(perf_map_name(t, 0x7f0000001204), "again");
	CHECK_STR(perf_map_name(t, 0x7f0000003000), "old");
	CHECK_STR(perf_map_name(t, 0x7f0000003810), "new");
	CHECK_STR(perf_map_name(t, 0x7f0000005000), "");
	CHECK_STR(perf_map_name(t, 0x1000), "");
	free(t);
	CHECK(make_perf_map("", 0) == NULL);
	CHECK(make_perf_map("1 \n", 3) == NULL);
	for (i = 0; i < 3000; i++) {
		memcpy(copy, text, sizeof(copy));
		for (k = 0; k < 4; k++) {
			seed = seed * 1103515245 + 12345;
			copy[seed / 65536 % sizeof(copy)] = (char)(seed >> 8);
		}
		t = make_perf_map(copy, sizeof(copy) - 1);
		for (k = 0; t && k < 0x40; k++)
			perf_map_name(t, 0x7f0000000f80 + k * 0x80);
		free(t);
	}
}

/* ---- a running program ---- */
static unsigned __attribute__((noinline)) deeper(unsigned n, volatile unsigned char *p)
{
	unsigned char room[300];

	memset(room, (int)n, sizeof(room));
	p[0] = room[n % 300];
	return n ? deeper(n - 1, room) + p[0] : (raise(SIGSTOP), p[0]);
}
static void handler(int sig)
{
	volatile unsigned char c;

	deeper(5, &c);
}

struct live {
	pid_t pid;
	u64 pc[64];
	int n;
};
static int on_frame(Dwfl_Frame *fr, void *data)
{
	struct live *l = data;
	Dwarf_Addr pc;

	if (dwfl_frame_pc(fr, &pc, NULL) && l->n < 64)
		l->pc[l->n++] = pc;
	return DWARF_CB_OK;
}
static char *no_path;
static const Dwfl_Callbacks live_callbacks = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
	.debuginfo_path = &no_path };

static bool live_read(void *data, u64 addr, u64 *v)
{
	struct iovec l = { v, 8 }, r = { (void *)(uintptr_t)addr, 8 };

	return process_vm_readv(((struct live *)data)->pid, &l, 1, &r, 1, 0) == 8;
}

/* The mapping that an address is in, and its table; maps are read again each time: this is a test. */
static struct stp_utab *table_for(pid_t pid, u64 ip, u64 *pc)
{
	char path[64], line[512], file[256], prot[8];
	struct stp_utab *t = NULL;
	u64 start, end, off;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		file[0] = 0;
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %255[^\n]", &start, &end, prot, &off, file) < 4 || ip < start || ip >= end)
			continue;
		if (file[0] == '/')
			t = make(file, STP_TABLE_ROWS);
		if (t && !stp_utab_addr(t, ip - start + off, prot[2] == 'x', pc)) {
			free(t);
			t = NULL;
		}
		break;
	}
	if (f)
		fclose(f);
	return t;
}

TEST(stack_of_a_running_program)
{
	struct live l = { 0 };
	struct user_regs_struct u;
	u64 all[16];
	struct stp_uregs r;
	bool interrupted = true; /* the innermost pc is no return address */
	Dwfl *dwfl;
	int status, i;

	l.pid = fork();
	if (!l.pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		signal(SIGUSR1, handler);
		raise(SIGUSR1);
		_exit(0);
	}
	do
		waitpid(l.pid, &status, 0);
	while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP && !ptrace(PTRACE_CONT, l.pid, 0, WSTOPSIG(status)));
	dwfl = dwfl_begin(&live_callbacks);
	dwfl_linux_proc_report(dwfl, l.pid);
	dwfl_report_end(dwfl, NULL, NULL);
	dwfl_linux_proc_attach(dwfl, l.pid, true);
	dwfl_getthread_frames(dwfl, l.pid, on_frame, &l);
	CHECK(l.n >= 10);
	ptrace(PTRACE_GETREGS, l.pid, 0, &u);
	memcpy(all, (u64[16]){ u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi, u.rbp, u.rsp, u.r8, u.r9, u.r10, u.r11, u.r12, u.r13, u.r14, u.r15 }, sizeof(all));
	r = (struct stp_uregs){ .ip = u.rip, .sp = u.rsp, .bp = u.rbp, .bp_known = true, .all = all };
	for (i = 0; i < l.n; i++) {
		struct stp_utab *t;
		u64 pc = 0;
		enum stp_step step;

		if (r.ip != l.pc[i]) {
			UNIT_FAIL("frame %d is at %#llx, not %#llx", i, r.ip, l.pc[i]);
			break;
		}
		t = table_for(l.pid, r.ip, &pc);
		if (!t) {
			UNIT_FAIL("frame %d at %#llx: no table", i, r.ip);
			break;
		}
		pc -= !interrupted;
		step = stp_utab_step(stp_utab_rule(t, pc), pc, &r, live_read, &l, &interrupted);
		free(t);
		if (step != STP_STEP_OK) {
			CHECK_INT(step, STP_STEP_END);
			CHECK_INT(i, l.n - 1);
			break;
		}
	}
	dwfl_end(dwfl);
	kill(l.pid, SIGKILL);
	waitpid(l.pid, &status, 0);
}

/* ---- damage ---- */
static void read_all(const struct stp_utab *t)
{
	struct stp_uregs r = { .all = regs };
	struct stp_utab_sym s;
	char name[64];
	const char *file;
	bool signal;
	u32 line;
	u64 a;
	int i;

	for (i = 0; i < 300; i++) {
		u64 addr = t->base + (u64)i * 997;

		if (stp_utab_find(t, &t->func, addr, &s))
			stp_utab_name(t, &t->func, &s, name, sizeof(name));
		if (stp_utab_find(t, &t->data, addr, &s))
			stp_utab_name(t, &t->data, &s, name, sizeof(name));
		stp_utab_addr(t, (u64)i * 997, i & 1, &a);
		file = stp_utab_line(t, addr, &line);
		CHECK(!file || strlen(file) < t->size);
		stp_utab_step(stp_utab_rule(t, addr), addr, &r, memory_read, NULL, &signal);
		r.all = regs;
	}
}

TEST(damaged_tables)
{
	struct stp_utab *good = make("/proc/self/exe", STP_TABLE_FUNC | STP_TABLE_DATA | STP_TABLE_ROWS | STP_TABLE_LINES);
	unsigned accepted = 0;
	int i, k;

	if (!good)
		return;
	srand(1);
	for (i = 0; i < 4000; i++) {
		size_t size = i % 3 ? good->size : (size_t)rand() % good->size;
		struct stp_utab *t = malloc(size ? size : 1);

		memcpy(t, good, size);
		if (size >= sizeof(*t) && size < good->size && i % 2)
			t->size = (u32)size;
		for (k = rand() % 8; k > 0 && size; k--)
			((u8 *)t)[(size_t)rand() % (i % 2 ? size : size < 400 ? size : 400)] = (u8)rand();
		if (stp_utab_check(t, size)) {
			accepted++;
			read_all(t);
		}
		free(t);
	}
	CHECK(accepted > 100);
	CHECK(!stp_utab_check(good, 8));
	free(good);
}

TEST(files_that_are_none)
{
	struct buf b;
	const char *err = NULL;
	int fd = open("/etc/passwd", O_RDONLY);

	CHECK_INT(table_make(fd, STP_TABLE_FUNC, &b, &err), -1);
	CHECK_STR(err, "not an ELF file");
	close(fd);
	fd = open("/dev/null", O_RDONLY);
	CHECK_INT(table_make(fd, STP_TABLE_FUNC, &b, &err), -1);
	close(fd);
}

/* Before a size becomes the 32 bits of the message to the loader; the module's limit is the same. */
TEST(large_tables)
{
	const char *err = NULL;

	CHECK_INT(table_check_size(0, &err), 0);
	CHECK_INT(table_check_size(268435456, &err), 0);
	CHECK(!err);
	CHECK_INT(table_check_size(268435457, &err), -1);
	CHECK_STR(err, "its table would have more than 256 MB");
	CHECK_INT(table_check_size(UINT64_C(1) << 32, &err), -1);
}

RUN_TESTS()
