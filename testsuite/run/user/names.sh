# SPDX-License-Identifier: GPL-2.0-or-later
# Names of what programs have in memory: functions and data of all kinds, also .bss behind the file's last page, in a library and nowhere; source lines;
# build ids.  Stacks at a function, in a kernel function, at a tracepoint and from a timer are frame by frame those that gdb sees, and print_usyms() and its kin
# print them alike.  The truth is in the source, readelf and gdb.
# expect: in_bss+0x0/0x9c40 in_bss n
# expect: in_bss+0x9c38/0x9c40 in_bss n
# expect: in_data+0x18/0x140 in_data n
# expect: in_rodata+0x28/0xf0 in_rodata n
# expect: local_bss+0x249f0/0x30d40 local_bss n
# expect: far+0x1/0x8 far n
# expect: lib_bss+0x3fc/0x4e20 lib_bss libn.so
# expect: nowhere nowhere <unknown>
# expect: nowhere nowhere <unknown>
# expect: nowhere nowhere <unknown>
# expect: nowhere nowhere <unknown>
# expect: vdso: [vdso]
# expect: outer at its line, in its file, build id and library's are readelf's
# expect: first hit, without a target: ask
# expect: uprobe: as gdb, 6 frames
# expect: kernel: as gdb, 7 frames
# expect: trace: as gdb, 7 frames
# expect: timer: spin in outer in main
# expect: printed: all alike
. "$TOP/testsuite/lib/script.sh"
cat > n.c <<'X'
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>
long in_bss[5000], in_data[40] = { 1 };
const long in_rodata[30] = { 2 };
static char local_bss[200000];
extern char lib_bss[20000];
asm(".section .rodata; .globl far; .type far,@object; far: .quad 1; .size far, 8; .text");
extern const char far[];
__attribute__((noipa)) void ask(const void *p) { asm volatile("" : : "r"(p) : "memory"); }
__attribute__((noipa)) int outer(int n) { return n * 2; }
int main(void)
{
	long stack;

	ask(in_bss); ask(&in_bss[4999]); ask(&in_data[3]); ask(&in_rodata[5]); ask(local_bss + 150000); ask(far + 1); ask(lib_bss + 1020);
	ask(malloc(100000)); ask(&stack); ask((void *)16); ask((void *)-8);
	ask((void *)getauxval(AT_SYSINFO_EHDR));
	ask((char *)outer + 1);
	return 0;
}
X
echo 'char lib_bss[20000];' | cc -shared -fPIC -Wl,--build-id=sha1 -o libn.so -x c -
cc -g -O2 -fpie -pie -Wl,--build-id=sha1 -o n n.c -Wl,-z,nocopyreloc -fPIC -L. -ln -Wl,-rpath,"\$ORIGIN"
cat > n.stp <<'X'
function plain(p, name) { return name == sprintf("0x%x", p) ? "nowhere" : name }
probe process("./n").function("ask") {
	p = pointer_arg(1)
	name = usymname(p)
	data = usymdata(p)
	if (umodname(p) == "[vdso]") println("vdso: ", umodpath(p))
	else if (name == "outer") printf("outer %s %s %s %s %s\n", usymline(p) == @2 ? "at its line" : usymline(p), usymfile(p) == @3 ? "in its file" : usymfile(p),
		usymfileline(p) == @3 . ":" . @2 ? "" : usymfileline(p), umodbuildid(p), lib)
	else {
		if (name == "lib_bss") lib = umodbuildid(p)
		path = " [" . umodpath(p) . "]"
		at = strpos(data, path)
		printf("%s %s %s\n", plain(p, at > 0 ? substr(data, 0, at) : data), plain(p, name), umodname(p))
	}
}
global lib
X
sed -i "s|@2|\"$(grep -n ' outer(int' n.c | cut -d: -f1)\"|g; s|@3|\"$PWD/n.c\"|g" n.stp
id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
$GUEST $STAPRUN -c ./n $(module n.stp) | sed "s|line in its file  $(id n) $(id libn.so)|line, in its file, build id and library's are readelf's|"
cat > first.stp <<'X'
global live, hits
probe timer.ms(20) { if (!live++) println("ready") }
probe process("./n").function("ask") { if (!hits++) println("first hit, without a target: ", usymname(uaddr())) }
X
$GUEST sh $TOP/testsuite/lib/live.sh ./n $STAPRUN $(module first.stp)
# Addresses of a static program are the same under gdb.
cat > s.c <<'X'
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
volatile int stop;
static void alarmed(int sig) { stop = 1; }
__attribute__((noipa)) void spin(void) { for (volatile long i = 0; !stop; i++) ; }
__attribute__((noipa)) int inner(int n) { char room[n]; asm volatile("" : : "r"(room) : "memory"); syscall(SYS_getpgrp); return room == 0; }
__attribute__((noipa)) int outer(int n) { spin(); return inner(n) * 2; }
int main(void)
{
	signal(SIGALRM, alarmed);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0 }, { 1, 0 } }, 0);
	return outer(100) + 1 == 0;
}
X
cc -g -O2 -static -no-pie -o s s.c
cat > bt.py <<'X'
import gdb
def frames(what):
    f, pcs = gdb.newest_frame(), []
    while f:
        pcs.append('0x%x' % f.pc())
        f = f.older()
    print('GDB', what, ' '.join(pcs))
for c in ('set pagination off', 'set backtrace past-main on', 'set backtrace past-entry on', 'handle SIGALRM pass nostop noprint', 'break *inner', 'run'): gdb.execute(c)
frames('uprobe')
gdb.execute('delete'); gdb.execute('catch syscall getpgrp'); gdb.execute('continue')
frames('trace'); frames('kernel')
X
gdb -batch -nx -x bt.py ./s 2>&1 < /dev/null | sed -n 's/^GDB //p' > truth
cat > s.stp <<'X'
global timers, spins
function part(name) { println("part ", name) }
probe process("./s").function("inner") { println("uprobe ", ubacktrace()) }
probe kprobe.function("__x64_sys_getpgrp") { if (pid() == target()) println("kernel ", ubacktrace()) }
probe kernel.trace("sys_enter") {
	if (pid() != target() || $id != 111) next
	bt = ubacktrace()
	println("trace ", bt)
	part("A"); print_ubacktrace(); part("B"); print_usyms(bt); part("C"); print_ustack(bt)
	part("D"); print(sprint_ubacktrace()); part("E"); print(sprint_usyms(bt)); part("F"); print(sprint_ustack(bt)); part("G")
	print_usyms(ucallers(-1)); part("H")
	for (i = 0; (at = ustack(i)); i++) print_usyms(sprintf("0x%x", at))
	part("I"); print_ubacktrace_brief(); part("J"); print_ubacktrace_fileline(); part("K")
}
probe process("./s").function("spin") { spins++ }
probe timer.profile {
	if (spins && pid() == target() && usymname(ustack(0)) == "spin" && !timers++)
		printf("timer: %s in %s in %s\n", usymname(ustack(0)), usymname(ustack(1)), usymname(ustack(2)))
}
X
$GUEST $STAPRUN -c ./s $(module s.stp -DMAXSTRINGLEN=4000) > have
for what in uprobe kernel trace; do
	want=$(sed -n "s/^$what //p" truth)
	[ "$(sed -n "s/^$what //p" have)" = "$want" ] && echo "$what: as gdb, $(echo $want | wc -w) frames" || { sed -n "s/^$what /have $what /p" have; echo "gdb $what $want"; }
done
sed -n '/^timer/p' have
awk -v line="$(grep -n ' inner(int' s.c | cut -d: -f1)" '
	$1 == "part" { part = $2; next }
	part { text[part] = text[part] $0 "\n" }
	part == "A" { name = $3; sub("/.*", "", name); brief = brief name "\n" }
	part == "J" && / : inner\+/ { lines = index($0, "s.c:" line " [") > 0 }
	END {
		split("B C D E F G H", other, " ")
		for (i in other) if (text[other[i]] != text["A"]) bad = bad " " other[i]
		if (text["I"] != brief) bad = bad " brief"
		if (!lines) bad = bad " lines"
		if (split(text["A"], parts, "\n") != 8) bad = bad " length"
		print "printed:", bad ? bad : "all alike"
	}' have
