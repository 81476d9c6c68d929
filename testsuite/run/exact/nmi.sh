# Non-maskable interrupts within handlers that hold the same variables: each is counted by its probe or among the
# skipped, what the handlers keep together is never seen torn, and output of both comes out whole.
# timeout: 240
# expect: whole
# expect: calls: all
# expect: interrupts: seen
# expect: shared: all
# expect: lines: untorn
. "$TOP/testsuite/lib/script.sh"
trigger calls

# while_running OUT COMMAND...: sends interrupts until the command ends
while_running()
{
	"$@" > out 2> err &
	pid=$!
	for try in $(seq 300); do
		kill -0 $pid 2> /dev/null || break
		$NMI > /dev/null 2>&1
		sleep 0.02
	done
	wait $pid
}
field() { sed -n "s/^.*$1 \([0-9]*\).*\$/\1/p" out; }
skipped() { sed -n "s/^WARNING: skipped \([0-9]*\) hits of [^ ]*$1.*/\1/p" err | awk '{ n += $1 } END { print n + 0 }'; }

# a and b are kept equal by both: exclusive
cat > alone.stp <<'END'
global a, b, n, nmis, torn
probe kernel.function("__x64_sys_getpgid") {
	if (pid() != target()) next
	for (i = 0; i < 200; i++) if (a == b) { a++; b++ } else torn++
	n++
}
probe kernel.trace("nmi_handler") { nmis++; if (a != b) torn++; a++; b++ }
probe end { printf("calls %d interrupts %d %s\n", n, nmis, torn || a != b ? "torn" : "whole") }
END
options="-DMAXACTION=5000 -DMAXSKIPPED=1000000 --suppress-time-limits"
while_running $GUEST $STAPRUN -c './calls 2 40000' $(module alone.stp $options)
grep -o whole out || cat out err
[ $(($(field calls) + $(skipped __x64_sys_getpgid))) = 80000 ] && echo "calls: all" || cat out err
[ $(($(field interrupts) + $(skipped nmi_handler))) -gt 0 ] && echo "interrupts: seen" || cat out err

# updates that commute, of maps, statistics and text
cat > shared.stp <<'END'
global s, m, n, nmis
probe kernel.function("__x64_sys_getpgid") {
	if (pid() != target()) next
	for (i = 0; i < 50; i++) { s[i] <<< i; m[i]++ }
	n++
	printf("%s\n", "call0123456789abcdefghijklmnopqrstuvwxyz")
}
probe kernel.trace("nmi_handler") { s[nmis % 50] <<< 1; m[7]++; nmis++; printf("%s\n", "nmi0123456789abcdefghijklmnopqrstuvwxyz") }
probe end {
	foreach (k in s) total += @count(s[k])
	delete s
	foreach (k in m) sum += m[k]
	delete m
	printf("%s\n", total == 50 * n + nmis && sum == 50 * n + nmis ? "all" : "some missing")
}
END
while_running $GUEST $STAPRUN -c './calls 2 40000' $(module shared.stp $options)
grep -q '^all$' out && [ $(skipped nmi_handler) = 0 ] && echo "shared: all" || { tail -n 1 out; cat err; }
grep -Ev '^(all|(call|nmi)0123456789abcdefghijklmnopqrstuvwxyz)$' out | head -n 3
[ $(grep -Evc '^(all|(call|nmi)0123456789abcdefghijklmnopqrstuvwxyz)$' out) = 0 ] && echo "lines: untorn"
rm -f out
