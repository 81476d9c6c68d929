# SPDX-License-Identifier: GPL-2.0-or-later
# Watchpoints on variables of a program: writes and reads from its first instruction on, in threads, children and behind an exec, of the
# size of the variable.  Return probes at return instructions: of a program that moves its stack while functions
# run, as Go's do, with what was kept at their entry, and where asked for; stacks from return probes of all kinds, of a program whose
# symbols are mini-debuginfo.
# timeout: 240
# expect: counter 1 bump
# expect: counter 2 bump
# expect: counter 102 in_thread
# expect: state 7 main
# expect: table 1 main
# expect: counter 1000 main
# expect: counter 1 bump
# expect: counter 2 bump
# expect: counter 102 in_thread
# expect: state 7 main
# expect: table 1 main
# expect: counter 1000 main
# expect: example: counter bump 4, counter in_thread 1, counter main 1; 0 to 1000
# expect: sum 606 after 4 moves
# expect: work -1 201 201 201 of -1 100 100 100
# expect: down 201 201 202 201 202 204 of 0 0 1 0 1 2
# expect: sum 348
# expect: entries 12, middle 11 of 10 11 of 10 11 of 10, inner 10 10 10
# expect: no return: 'midfail' of left never returns: it has no return instruction, and jumps to no other function
# expect: program: either 5 318
# expect: program: thunk 4 24
# expect: program: table 5 130
# expect: program: tailreal 3 12
# expect: either 5 318
# expect: table 5 130
# expect: tail 6 36
# expect: tailreal 3 12
# expect: thunk 4 24
# expect: left indirect 6
# expect: left outside 6
# expect: left thunk 4
# expect: skipped: indirect, the function ended by jumping to another, whose result is not seen
# expect: skipped: outside, the function ended by jumping to another, whose result is not seen
# expect: plt: getppid@plt leaf mid outer main
# expect: instruction: mid outer main
# expect: return: mid outer main
# expect: bare: getpgrp@plt bare main
# expect: refused: the return instructions of 'forever' cannot be found: it has none
. "$TOP/testsuite/lib/script.sh"
trigger watched
cat > watch.stp <<'END'
probe process("./watched").data("counter").write, process("./watched").data("state").write, process("./watched").data("table").length(4).rw {
	printf("%s %d %s\n", $$name, $value, usymname(uaddr()))
}
END
$GUEST $STAPRUN -c "./watched again" $(module watch.stp)
$GUEST $STAPRUN -c ./watched $(module $TOP/examples/variable-accesses.stp ./watched counter) |
	awk '$1 == "counter" { s = s (s ? ", " : "") $1 " " $2 " " $3 } /from/ { print "example: " s "; " $3 " to " $5 }'
cc -O1 -fcf-protection=none -o moved_stack $TOP/testsuite/triggers/moved_stack.c
cat > moved.stp <<'END'
global w, we, d, de
probe process("./moved_stack").function("work").return { w .= sprintf(" %d", returnval()); we .= sprintf(" %d", @entry(long_arg(1))) }
probe process("./moved_stack").function("down").return { d .= sprintf(" %d", returnval()); de .= sprintf(" %d", @entry(long_arg(1))) }
probe end { printf("work%s of%s\ndown%s of%s\n", w, we, d, de) }
END
$GUEST $STAPRUN -c ./moved_stack $(module moved.stp)
# Functions that are left by an exception, by longjmp and with their thread: what would find the kernel's return probe on the stack ends the program.
cat > left.cc <<'END'
#include <csetjmp>
#include <cstdio>
#include <pthread.h>
static jmp_buf env;
extern "C" {
__attribute__((noinline)) long inner(long n)
{
	if (n == 1) throw 5;
	if (n == 2) longjmp(env, 1);
	if (n == 3) pthread_exit(nullptr);
	return n;
}
__attribute__((noinline)) void midfail(long n) { throw n; }
__attribute__((noinline)) long middle(long n) { long r = inner(n); asm volatile("" : "+r"(r)); return r + 1; }
}
static void *thread(void *) { middle(3); return nullptr; }
int main()
{
	pthread_t t;
	long s = 0;

	for (int i = 0; i < 3; i++) {
		try { s += middle(1); } catch (int e) { s += e; }
		if (!setjmp(env)) s += middle(2); else s += 100;
		pthread_create(&t, nullptr, thread, nullptr);
		pthread_join(t, nullptr);
		s += middle(10);
		try { midfail(0); } catch (long e) { s += e; }
	}
	printf("sum %ld\n", s);
}
END
c++ -O1 -o left left.cc -pthread
cat > left.stp <<'END'
global m, i, entries
probe process("./left").function("middle") { entries++ }
probe process("./left").function("mid*").return { m .= sprintf(" %d of %d", returnval(), @entry(long_arg(1))) }
probe process("./left").function("inner").return { i .= sprintf(" %d", returnval()) }
probe end { printf("entries %d, middle%s, inner%s\n", entries, m, i) }
END
$GUEST $STAPRUN -c ./left $(module left.stp)
$STAP -r $RELEASE -p2 -e 'probe process("./left").function("midfail").return { next }' 2>&1 | sed -n "s,^semantic error: \(.* of \)$PWD/,no return: \1,p"
# Functions that end by jumping to others: through thrower() of the same file they throw every third time, or return what it returns; where the other
# is not known beforehand, the jump is the end, and there is no result.  The program says itself how often its functions returned, and what;
# either() calls tail() three times, of which one throws.
c++ -O2 -fcf-protection=none -g -o tail $TOP/testsuite/triggers/tail.cc
cat > tail.stp <<'END'
global n, sum, plain
probe process("./tail").function("either").return, process("./tail").function("tail").return, process("./tail").function("thunk").return,
      process("./tail").function("table").return, process("./tail").function("indirect").return, process("./tail").function("outside").return
	{ sum[ppfunc()] += $return; n[ppfunc()]++; if (@entry($a) != @entry(int_arg(1))) println("entry") }
probe process("./tail").function("tailreal").return { sum[ppfunc()] += fp_to_long($return, 0); n[ppfunc()]++ }
probe process("./tail").function("indirect").return, process("./tail").function("outside").return, process("./tail").function("thunk").return { plain[ppfunc()]++ }
probe end {
	foreach ([f+] in n) if (n[f]) printf("%s %d %d\n", f, n[f], sum[f])
	foreach ([f+] in plain) printf("left %s %d\n", f, plain[f])
}
END
$GUEST $STAPRUN -c ./tail -o /tmp/tails $(module tail.stp) 2> skipped | sed -n 's/^\(either\|thunk\|table\|tailreal\) [0-9]/program: &/p'
$GUEST cat /tmp/tails
sed -n 's/^WARNING: skipped 6 hits of .*("\([a-z]*\)@.*(\(.*\))$/skipped: \1, \2/p' skipped
cat > calls.c <<'END'
#include <unistd.h>
#define LOCAL static __attribute__((noinline, noclone))
LOCAL int leaf(int n) { return getppid() + n; }
LOCAL int mid(int n) { return leaf(n + 1) * 2; }
LOCAL int outer(int n) { return mid(n + 1) + 3; }
void forever(void) { for (;;) pause(); }
int bare(int n);
int main(void) { return outer(1) + outer(2) + bare(1) == 0; }
END
# Without .eh_frame, as Go's compiler and assembly leave functions.
echo '#include <unistd.h>
int bare(int n) { return getpgrp() + n; }' | cc -O1 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -c -o bare.o -x c -
# Stripped, with the symbols of its functions in .gnu_debugdata, as some distributions ship programs.
cc -O1 -o calls calls.c bare.o
objcopy -S --keep-symbol=leaf --keep-symbol=mid --keep-symbol=outer --keep-symbol=main --keep-symbol=forever --keep-symbol=bare --only-keep-debug calls mini
strip calls
xz -f mini
objcopy --add-section .gnu_debugdata=mini.xz calls
cat > calls.stp <<'END'
global a, b, c
function names(n) { for (i = 0; i < n; i++) s .= " " . usymname(ustack(i)); return s }
probe process("./calls").plt("getppid").return { if (!a++) println("plt:", names(5)) }
probe process("./calls").plt("getpgrp") { println("bare:", names(3)) }
probe process("./calls").function("mid").return.instruction { if (!b++) println("instruction:", names(3)) }
probe process("./calls").function("mid").return { if (!c++) println("return:", names(3)) }
END
$GUEST $STAPRUN -c ./calls $(module calls.stp)
$STAP -p2 -e 'probe process("./calls").function("forever").return.instruction { println(1) }' 2>&1 |
	sed -n 's/^semantic error: \(.*\) of [^ ]* \(cannot.*\)/refused: \1 \2/p'
