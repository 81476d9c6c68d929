# SPDX-License-Identifier: GPL-2.0-or-later
# Source files and lines of addresses in a probed module, as binutils has them; an address that no table knows stays a number, and
# a module of another build has no lines.
# timeout: 180
# stderr-re: .*no source lines of stap_target: they are those of build [0-9a-f]+, and what runs here is [0-9a-f]+
# expect: statement main.c:42 42
# expect: frames as binutils has them
# expect: unknown 0x10 0x10 0x10
. $TOP/testsuite/lib/script.sh
target stap_target
cat > lines.stp <<END
global told
probe module("$PWD/stap_target.ko").statement("target_second@main.c:42") {
	if (told++) next
	printf("statement %s %s\n", symfileline(addr()), symline(addr()))
	print_backtrace_fileline()
}
probe end { printf("unknown %s %s %s\n", symfile(0x10), symline(0x10), symfileline(0x10)) }
END
# kernels have debuginfo here or not
module -w lines.stp -m lines > /dev/null
$GUEST sh -c "cd $PWD; insmod stap_target.ko; $STAPRUN lines.ko -c \"sh -c 'echo 1 > /proc/stap_target'\"; rmmod stap_target" > out
sed -n "s|^statement $PWD/src-stap_target/|statement |p" out
# frames of the module: function + offset; a return address is behind the call
sed -n 's/^ 0x[0-9a-f]* : \(target[a-z_]*\|run[a-z_]*\)+\(0x[0-9a-f]*\).* at .*\/\([a-z]*\.c:[0-9]*\)$/\1 \2 \3/p' out > ours
n=0
while read name offset place; do
	start=0x$(nm stap_target.ko | sed -n "s/ [tT] $name\$//p")
	addr2line -e stap_target.ko -j .text $(printf 0x%x $((start + offset - (n > 0)))) | sed "s/ (disc.*//; s|.*/|$name $offset |"
	n=$((n + 1))
done < ours > theirs
test `wc -l < ours` -ge 2 && cmp ours theirs && echo frames as binutils has them
grep unknown out
# the same source, another build
sed -i 's/value \* 2/value * 4/' src-stap_target/main.c
make -s -C "$KBUILD" M=$PWD/src-stap_target modules > log 2>&1 || cat log
cat > other.stp <<END
probe module("$PWD/stap_target.ko").function("target_first") { println(symfileline(addr())) }
probe begin { println("runs") }
END
module -w other.stp -m other > /dev/null
$GUEST sh -c "cd $PWD; insmod src-stap_target/stap_target.ko; $STAPRUN other.ko -c true; rmmod stap_target" > out2 2>&1
grep 'no source lines' out2 >&2 || cat out2
