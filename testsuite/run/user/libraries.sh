# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries: of one program only, or of whoever maps them; opened late with dlopen; another build than the script's is
# left out with a warning that names both; optional probes.
# expect: early 3, late 2, everybody 10, script 1
# expect: none
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
