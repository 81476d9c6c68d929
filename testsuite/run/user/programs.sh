# SPDX-License-Identifier: GPL-2.0-or-later
# How a program is named (its build id, a pattern, not at all: that of -c), as often as the program itself counts; a stack through a signal handler on a stack
# of its own and a function with hand-written CFI, as the source has it; memory with a name, as /proc has it; arguments by position.  A session
# that fails to start does not run its command.
# expect: by build id 3, by a pattern 3, bare 3, stub 2, library 2
# expect: arguments 0 1 2, 32 bits: 0
# expect: stack: on_alt middle by_hand main
# expect: memory with a name: as in /proc
# expect: failed start: status 1, the command did not run
. "$TOP/testsuite/lib/script.sh"
cat > prog.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
void by_hand(void (*f)(void));
asm(".text; .globl by_hand; .type by_hand, @function; by_hand: .cfi_startproc; sub $1000, %rsp; .cfi_adjust_cfa_offset 1000; call *%rdi;"
    "add $1000, %rsp; .cfi_adjust_cfa_offset -1000; ret; .cfi_endproc; .size by_hand, . - by_hand");
__attribute__((noipa)) long work(int n) { return n + 1; }
__attribute__((noipa)) void on_alt(int sig) { syscall(SYS_getpgrp); asm volatile(""); }
__attribute__((noipa)) void middle(void) { raise(SIGUSR1); asm volatile(""); }

static void print_named(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[300];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[anon:"))
			printf("proc %s", line);
}

int main(void)
{
	char *pool = mmap(NULL, 3 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t st = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction sa = { .sa_handler = on_alt, .sa_flags = SA_ONSTACK };

	for (int i = 0; i < 3; i++)
		work(i);
	getppid(); getppid();
	sigaltstack(&st, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	prctl(0x53564d41, 0, pool + 4096, 1 << 20, "a pool"); /* PR_SET_VMA, PR_SET_VMA_ANON_NAME */
	by_hand(middle);
	print_named();
	return 0;
}
END
cc -O2 -Wl,--build-id=sha1 -o prog prog.c
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
cat > names.stp <<END
global id, pattern, bare, stub, library, arguments, bits
probe process("$id").function("work") { id++; asmlinkage(); arguments .= sprintf(" %d", int_arg(1)); bits += probing_32bit_app() }
probe process("./pro[fg]").function("work") { pattern++ }
probe process.function("work") { bare++ }
probe process.plt("getppid") { stub++ }
probe process.library("libc.so*").function("getppid") { library++ }
probe kernel.trace("sys_enter") {
	if (pid() != target() || \$id != 111) next
	for (i = 0; (at = ustack(i)) && i < 20; i++)
		if (umodname(at) == "prog" && usymname(at) != "_start") names .= " " . usymname(at)
	println("stack:", names)
	print_umaps()
}
probe end {
	printf("by build id %d, by a pattern %d, bare %d, stub %d, library %d\n", id, pattern, bare, stub, library)
	printf("arguments%s, 32 bits: %d\n", arguments, bits)
}
END
PATH="$PWD:$PATH" # where build ids are looked for
file=$(module names.stp -c ./prog)
$GUEST sh -c "exec $STAPRUN -c ./prog $file" > out
sed -n '/^by\|^arguments/p' out
sed -n '/^stack/p' out
sed -n 's/^proc //p' out | sed 's/  */ /g' > truth
grep '\[anon:' out | grep -v '^proc' | sed 's/  */ /g' > have
cmp -s truth have && echo 'memory with a name: as in /proc' || { echo 'memory with a name:'; diff truth have; }
$GUEST sh -c "rm -f /tmp/ran; $STAPRUN -c 'touch /tmp/ran' $file unknown=1 2> /dev/null; s=\$?; [ -e /tmp/ran ] && echo 'failed start: the command ran' || echo \"failed start: status \$s, the command did not run\""
