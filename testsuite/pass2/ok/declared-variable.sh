# SPDX-License-Identifier: GPL-2.0-or-later
# A variable that assembly or the linker defines (the kernel's jiffies) has declarations alone: by its name, or by that of a source file that uses
# it; not by that of one that does not.
# expect: name: as a long
# expect: user: as a long
# expect: its directory: as a long
# expect: other: no variable 'tick' in other.c of CWD/prog
# expect: no such: no variable 'tick' in nosuch.c of CWD/prog
mkdir src
echo 'asm(".data; .globl tick; tick: .quad 5; .previous"); int other(void) { return 1; }' > src/other.c
echo 'extern volatile long tick; int other(void); int main(void) { return tick + other(); }' > src/user.c
gcc -g -o prog src/other.c src/user.c
ask() {
	$STAP -r $RELEASE -p2 -v -e "probe process(\"./prog\").function(\"main\") { println(@var(\"$2\")) }" > out 2>&1 && echo "$1: as a long"
	sed -n "s|$PWD|CWD|; s/^semantic error/$1/p" out
}
ask name tick
ask user tick@user.c
ask 'its directory' tick@src/user.c
ask other tick@other.c
ask 'no such' tick@nosuch.c
