# SPDX-License-Identifier: GPL-2.0-or-later
# A timer prints and clears an array and a statistic while four threads fill them: nothing is
# counted twice, nothing is lost; what is printed and what is left make the whole.
# timeout: 120
# expect: array 200000
# expect: statistic 200000
# expect: counter 200000
# expect: rounds
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global a, s, n
probe kernel.function("__x64_sys_getpgid") {
	if (pid() != target()) next
	a[tid()]++
	s <<< 1
	n++
}
probe timer.ms(20) {
	foreach (t in a) printf("a %d\n", a[t])
	delete a
	printf("s %d\n", @count(s))
	delete s
	printf("n %d\n", n)
	n = 0
}
probe end {
	foreach (t in a) printf("a %d\n", a[t])
	printf("s %d\nn %d\n", @count(s), n)
}
END
$GUEST $STAPRUN -c './calls 4 50000' $(module script.stp) |
awk '{ sum[$1] += $2; rows[$1]++ }
	END { print "array " sum["a"]; print "statistic " sum["s"]; print "counter " sum["n"];
	      print(rows["n"] > 3 ? "rounds" : "only " rows["n"] " rounds") }'
