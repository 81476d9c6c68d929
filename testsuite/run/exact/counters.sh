# SPDX-License-Identifier: GPL-2.0-or-later
# Four threads at full speed: n++, a[k]++, <<<, += and a[k] <<< count exactly.
# timeout: 120
# expect: n 80000
# expect: a 80000
# expect: threads 4 of 20000
# expect: s 80000 sum 160000
# expect: b 80000 sum 240000
# expect: total 400000
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n, a, t, s, b, total
probe kernel.function("__x64_sys_getpgid") {
	if (pid() != target()) next
	n++; a["k"]++; t[tid()]++; s <<< 2; b[1] <<< 3; total += 5
}
probe end {
	printf("n %d\na %d\n", n, a["k"])
	foreach (i in t) { threads++; if (t[i] != 20000) wrong++ }
	printf("threads %d of %d\n", threads - wrong, 20000)
	printf("s %d sum %d\nb %d sum %d\ntotal %d\n", @count(s), @sum(s), @count(b[1]), @sum(b[1]), total)
}
END
$GUEST $STAPRUN -c './calls 4 20000' $(module script.stp)
modules_left
