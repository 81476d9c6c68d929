# SPDX-License-Identifier: GPL-2.0-or-later
# A name that a resolver picks a function for stands for no place, with and without debug information; the resolver's own does.
# expect: -g: help: 'add' picks one of several functions for this processor when the program starts; function("__add_*") may match those
# expect: -g: help: did you mean 'add'?
# expect: -g: process("PATH").function("pick_add@PATH.c:4")
# expect: -g: process("PATH").function("__add_one@PATH.c:1")
# expect: -g0: help: 'add' picks one of several functions for this processor when the program starts; function("__add_*") may match those
# expect: -g0: help: did you mean 'add'?
# expect: -g0: process("PATH").function("pick_add")
# expect: -g0: process("PATH").function("__add_one")
cat > prog.c <<'E2'
int __add_one(int x) { return x + 1; }


int (*pick_add(void))(int) { return __add_one; }
int add(int) __attribute__((ifunc("pick_add")));
int main(int argc, char **argv) { return add(argc); }
E2
for debug in -g -g0; do
	gcc $debug -O1 -o prog prog.c
	for name in add ad pick_add '__add*'; do
		$STAP -r $RELEASE -l "process(\"./prog\").function(\"$name\")" 2>&1 | grep -E '^process|help:' |
			sed "s|$(realpath prog)|PATH|g; s|^ *|$debug: |"
	done
done
