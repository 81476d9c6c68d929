# SPDX-License-Identifier: GPL-2.0-or-later
# Lines without code, files and providers that there are not: help speaks of the function that was asked for, and .nearest takes what it names.
# expect: semantic error: no code of 'second' at line 1 of prog.c
# expect: help: the nearest line with code is 10; .nearest takes it by itself
# expect: process("PROG").statement("second@PROG.c:10")
# expect: semantic error: no code of 'second' at line 99 of prog.c
# expect: help: the nearest line with code is 12; .nearest takes it by itself
# expect: process("PROG").statement("second@PROG.c:12")
# expect: process("PROG").statement("second@PROG.c:10")
# expect: process("PROG").statement("second@PROG.c:12")
# expect: semantic error: no function 'second' in PROG, in prgo.c at line 10
# expect: help: it has no source file 'prgo.c'
# expect: help: there is second@PROG.c:9
# expect: semantic error: no function matches '*' in PROG, in prgo.c
# expect: help: it has no source file 'prgo.c'
# expect: semantic error: PROG has no marks of provider 'porg'
# expect: help: did you mean 'prog'?
# expect: help: it has marks of: prog
# expect: semantic error: PROG has no mark 'don' of provider prog
# expect: help: did you mean 'done'?
# expect: help: it has: done
# expect: semantic error: no function 'getppid' in PROG
# expect: help: it is a library's, which the program calls: .library("*").function("getppid") is the function, .plt("getppid") those calls
cat > prog.c <<'E2'
#include <sys/sdt.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) int first(int x)
{
	return x + sink + getppid();
}

__attribute__((noinline)) int second(int x)
{
	DTRACE_PROBE(prog, done);
	return sink * x; }

int main(int argc, char **argv) { return first(argc) + second(argc); }
E2
gcc -g -O0 -o prog prog.c
for point in 'statement("second@prog.c:1")' 'statement("second@prog.c:1").nearest' 'statement("second@prog.c+90")' 'statement("second@prog.c+90").nearest' \
	'statement("second@prog.c:1,90").nearest' 'statement("second@prgo.c:10")' 'function("*@prgo.c")' 'provider("porg").mark("done")' \
	'provider("prog").mark("don")' 'function("getppid")'; do
	$STAP -r $RELEASE -l "process(\"./prog\").$point" 2>&1 | grep -E '^process|^semantic|help:' | sed "s|$(realpath prog)|PROG|g; s|^ *||"
done
