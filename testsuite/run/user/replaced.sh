# SPDX-License-Identifier: GPL-2.0-or-later
# A library that is replaced by another one (rename), or written to in place, while it is probed and mapped: each process has the names of what it has mapped, the
# probe is in the library that it was made for, and no other is harmed.  A library that is truncated while it is mapped, whose code then is a bus error.
# expect: program: old 2 new 4 again 6 old 2
# expect: program: written 100000 replaced 6
# expect: 1 in inner_1 of work
# expect: 1 in inner_2 of work
# expect: 1 in inner_3 of work
# expect: 2 in inner_1 of work
# expect: 2 in other of work
# expect: 2 in inner_3 of work
# expect: cut work before: bytes
# expect: cut work after: caught
# expect: bus error: handler on_bus main
# stderr-re: WARNING: .*/d/libx.so( \(deleted\))? has been written to since the script began: in processes that map it from now on it is not probed
. "$TOP/testsuite/lib/script.sh"
cat > lib.c <<'X'
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#if V == 4 /* a byte more, or an instruction of elsewhere, and the sum is another one */
__attribute__((noipa)) int other(int a, int (*f)(int))
{
	int sum = 0;

	f(a);
	asm volatile(".rept 100; add $1000, %0; .endr" : "+r"(sum));
	return sum;
}
int work(int a, int (*f)(int)) { int r = other(a, f); asm volatile("" : "+r"(r)); return r; }
#else
#if V > 1
int moves_the_rest(int a) { return a * 3 + 1; }
int and_more(int a) { return a * a * 7; }
#endif
__attribute__((noipa)) int JOIN(inner_, V)(int a, int (*f)(int)) { return f(a) + V; }
int work(int a, int (*f)(int)) { int r = JOIN(inner_, V)(a, f); asm volatile("" : "+r"(r)); return r + (V > 1) * (V - 1); }
#endif
X
for v in 1 2 3 4; do cc -shared -fPIC -O1 -Wl,--build-id=sha1 -DV=$v -o v$v lib.c; done
cat > user.c <<'X'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noipa)) int call_back(int a) { return a; }
/* NAME FILE [COMMAND]: calls, and again behind the command. */
int main(int argc, char **argv)
{
	int (*work)(int, int (*)(int)) = (int (*)(int, int (*)(int)))dlsym(dlopen(argv[2], RTLD_NOW), "work");

	printf(" %s %d", argv[1], work(1, call_back));
	fflush(stdout);
	if (argc > 3) {
		system(argv[3]);
		printf(" %s %d", argv[1], work(1, call_back));
	}
	return 0;
}
X
cc -O1 -o user user.c
cat > cut.c <<'X'
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
static sigjmp_buf env;
__attribute__((noipa)) void ask(void *p, const char *when) { asm volatile("" : : "r"(p), "r"(when)); }
static void on_bus(int sig) { getpgrp(); siglongjmp(env, 1); }
int main(int argc, char **argv)
{
	int (*work)(int, int (*)(int)) = (int (*)(int, int (*)(int)))dlsym(dlopen(argv[1], RTLD_NOW), "work");

	signal(SIGBUS, on_bus);
	ask(work, "before");
	truncate(argv[1], 4096);
	ask(work, "after");
	if (!sigsetjmp(env, 1)) work(1, 0);
	_exit(0);
}
X
cc -O1 -o cut cut.c
cat > run.sh <<'X'
printf program:
./user old d/libx.so 'mv d/n2 d/libx.so; ./user new d/libx.so; cat v3 > d/libx.so; ./user again d/libx.so'
printf '\nprogram:'
cat v4 > d/orig
./user written d/orig
./user replaced d/libx.so
echo
./cut d/cut
X
mkdir d; cp v1 d/libx.so
cat > script.stp <<'X'
global hits
probe process("./d/libx.so").function("work") { hits++ }
probe process("./user").function("call_back") { printf("%d in %s of %s\n", hits, usymname(ustack(1)), usymname(ustack(2))) }
probe process("./cut").function("ask") {
	try { what = user_string_n(pointer_arg(1), 4) != "" ? "bytes" : "?" } catch { what = "caught" }
	printf("cut %s %s: %s\n", usymname(pointer_arg(1)), user_string(pointer_arg(2)), what)
}
probe process("./cut").syscall { if ($syscall == 111) printf("bus error: handler %s %s\n", usymname(ustack(1)), usymname(ustack(@1))) }
X
sed -i 's/@1/4/' script.stp
$GUEST sh -c "mount -t tmpfs replaced d; cp v1 d/libx.so; cp v2 d/n2; cp v1 d/cut; ln d/libx.so d/orig; $STAPRUN -o /tmp/out -c 'sh run.sh' $(module script.stp); cat /tmp/out; umount d"
