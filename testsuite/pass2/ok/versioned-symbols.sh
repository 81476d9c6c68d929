# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols with versions (.symtab has them in the name) are found by the plain name, all versions of them; an old version of what is
# picked when the program starts stands not for this.
# expect: -g: in .symtab: act@@NEW act@OLD pick@OLD
# expect: -g: process("PATH").function("act_new@PATH.c:2")
# expect: -g: process("PATH").function("act_old@PATH.c:1")
# expect: -g: help: 'pick' picks one of several functions for this processor when the program starts, perhaps in another file or the vdso
# expect: -g: process("PATH").function("pick_old@PATH.c:3")
# expect: -g: process("PATH").function("act_new@PATH.c:2").exported
# expect: -g: process("PATH").function("act_old@PATH.c:1").exported
# expect: -g0: in .symtab: act@@NEW act@OLD pick@OLD
# expect: -g0: process("PATH").function("act")
# expect: -g0: help: 'pick' picks one of several functions for this processor when the program starts, perhaps in another file or the vdso
# expect: -g0: process("PATH").function("pick_old")
# expect: -g0: process("PATH").function("act").exported
cat > lib.c <<'E2'
int act_old(int x) { return x + 1; }
int act_new(int x) { return x + 2; }
int pick_old(int x) { return x + 3; }
static int one(int x) { return x + 4; }
int (*choose(void))(int) { return one; }
int pick_new(int) __attribute__((ifunc("choose")));
__asm__(".symver act_old,act@OLD\n.symver act_new,act@@NEW\n.symver pick_old,pick@OLD\n.symver pick_new,pick@@NEW");
E2
echo 'OLD { global: act; pick; local: *; }; NEW { global: act; pick; } OLD;' > map
for debug in -g -g0; do
	gcc $debug -O1 -shared -fPIC -Wl,--version-script=map -o lib.so lib.c
	echo "$debug: in .symtab:" $(readelf -sW lib.so | awk '/symtab/ { whole = 1 } whole && $8 ~ /^(act@|pick@OLD)/ { print $8 }' | sort)
	for point in 'function("act")' 'function("pick")' 'function("pick_old")' 'function("act").exported'; do
		$STAP -r $RELEASE -l "process(\"./lib.so\").$point" 2>&1 | grep -E '^process|help:' |
			sed "s|$(realpath lib.so)|PATH|g; s|$PWD/lib.c|PATH.c|g; s|@lib\.c|@PATH.c|g; s|^ *|$debug: |"
	done
done
