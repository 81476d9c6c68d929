# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries: of one program only, or of whoever maps them; opened late with dlopen; another build than the script's is
# left out with a warning that names both; optional probes.
# expect: early 3, late 2, everybody 10, script 1
# expect: none
# expect: tick 7 40, lib 40 7, tick 7 40, lib 40 7, tick 7 41, lib 41 8
# expect: syscall 43 8
# expect: before: the program or library that the variable is of is not mapped in this process
# expect: written 40 41 43 143 1143
# expect: by its path 40 41 43 143 1143
# stderr-re: WARNING: .*/libearly.so is another build than the script was made for: its build id is [0-9a-f]{40}, not [0-9a-f]{40}; it is not probed
# stderr-re: WARNING: cannot probe .*/liblate.so: No such file or directory
. "$TOP/testsuite/lib/script.sh"
cat > lib.c <<'END'
int NAME(int a) { return a + VERSION; }
END
cat > main.c <<'END'
#include <dlfcn.h>
#include <stdlib.h>
int early(int);
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	void *h;
	int (*late)(int);

	for (int i = 0; i < n; i++)
		early(i);
	h = dlopen("./liblate.so", RTLD_NOW);
	late = h ? (int (*)(int))dlsym(h, "late") : 0;
	for (int i = 1; i < n && late; i++)
		late(i);
	return 0;
}
END
lib() { cc -shared -fPIC -O2 -Wl,--build-id=sha1 -DNAME=$1 -DVERSION=$2 -o lib$1.so lib.c; }
lib early 1; lib late 1
cc -O2 -o first main.c -L. -learly -Wl,-rpath,"\$ORIGIN" -ldl
cp first second
printf '#!/bin/sh\n:\n' > script; chmod +x script
cat > script.stp <<'END'
global early, late, all, shell
probe process("./first").library("libearly*").function("early") { early++ }
probe process("./liblate.so").function("late") { if (execname() == "first") late++; all++ }
probe process("./libearly.so").function("early") { all++ }
probe process("./script").begin { shell++ }
probe process("./libearly.so").function("not_there") ? { println("?") }
global said
probe timer.ms(50) { if (!said++) println("ready") }
probe end { printf("early %d, late %d, everybody %d, script %d\n", early, late, all, shell > 0) }
END
cat > gone.stp <<'END'
global n
probe process("./libearly.so").function("early"), process("./liblate.so").function("late") { n++ }
global said
probe timer.ms(50) { if (!said++) println("ready") }
probe end { println(n ? "some" : "none") }
END
first=$(module script.stp)
gone=$(module gone.stp)
$GUEST sh $TOP/testsuite/lib/live.sh './first 3; ./second 3; ./script' $STAPRUN $first
lib early 2
$GUEST sh -c "rm liblate.so; exec sh $TOP/testsuite/lib/live.sh './first 3' $STAPRUN $gone"
# Variables of a library and of the program, in probes of each and of the kernel; one of a library that is opened later is watched, in a thread that was
# there before and in a child as well.
echo 'int lib_count = 40; int lib_work(int n) { lib_count += n; return lib_count; }' | cc -O1 -g -shared -fPIC -x c -o libcount.so -
cat > counts.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int program_count = 7;
static int (*volatile work)(int);
__attribute__((noinline)) int tick(int i) { program_count += i > 1; return i; }
static void *early(void *p) { while (!work) usleep(1000); work(100); return p; }
int main(void)
{
	pthread_t t;
	int (*f)(int);
	pthread_create(&t, 0, early, 0);
	f = (int (*)(int))dlsym(dlopen("./libcount.so", RTLD_NOW), "lib_work");
	for (int i = 0; i < 3; i++) { tick(i); f(i); }
	getpgrp();
	work = f;
	pthread_join(t, 0);
	if (!fork()) { f(1000); _exit(0); }
	wait(0);
	return 0;
}
END
cc -O1 -g -pthread -o counts counts.c
cat > counts.stp <<'END'
global s
probe process("./counts").function("tick") { s .= sprintf("tick %d %d, ", @var("program_count"), @var("lib_count", "./libcount.so")) }
probe process("./libcount.so").function("lib_work") { if (tid() == target()) s .= sprintf("lib %d %d, ", @var("lib_count"), @var("program_count", "./counts")) }
probe kernel.trace("sys_enter") {
	if (pid() == target() && $id == 111)
		printf("%s\nsyscall %d %d\n", substr(s, 0, strlen(s) - 2), @var("lib_count", "./libcount.so"), @var("program_count", "./counts"))
}
probe process("./counts").begin { if (pid() == target()) try { println(@var("lib_count", "./libcount.so")) } catch (e) { before = e } }
global before
probe end { println("before: ", before) }
END
$GUEST $STAPRUN -c ./counts $(module counts.stp)
# Alone: emulated processors report a watchpoint again when breakpoints are near.
cat > watch.stp <<'END'
global written
probe process("./counts").library("./libcount.so").data("lib_count").write { written .= sprintf(" %d", $value) }
probe end { println("written", written) }
END
$GUEST $STAPRUN -c ./counts $(module watch.stp)
sed 's/process.*library(/process(/; s/"written"/"by its path"/' watch.stp > path.stp
$GUEST $STAPRUN -c ./counts $(module path.stp)
