# SPDX-License-Identifier: GPL-2.0-or-later
# Six hundred functions that call one another, with two calls in each so that none is merged into its caller: an error
# before the kernel's stack is used up; forty are no problem.
# expect: 40
# expect-re: ERROR: the kernel's stack is nearly used up near identifier 'f[0-9]*' at script.stp:[0-9:]*
. $TOP/testsuite/lib/script.sh
for n in 40 600; do
	i=0
	while [ $i -lt $n ]; do
		echo "function f$i(x, y) { return x & 1 ? f$((i + 1))(x + 2, y) + 1 : f$((i + 1))(y, x) * 3 + x }"
		i=$((i + 1))
	done > script.stp
	echo "function f$n(x, y) { return y } probe begin { println(f0(\$1, 0)) exit() }" >> script.stp
	ko=$(module script.stp 1) || exit 1
	$GUEST $STAPRUN $ko 2>&1 | head -n 1
done
