# A reader that sleeps while four threads print: the lines that came out and those reported lost are all there were.
# timeout: 240
# expect: some lost
# expect: whole
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n
probe kernel.function("__x64_sys_getpgid") {
	if (pid() == target()) { n++ printf("call %d %s\n", tid(), "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz") }
}
probe end { printf("produced %d\n", n) }
END
file=$(module script.stp -s 1)
$GUEST sh -c "$STAPRUN -c '$PWD/calls 4 50000' $file 2> /run/err | { sleep 6; grep -c '^call ' > /run/calls; }; cat /run/calls /run/err" > out
lost=$(sed -n 's|^WARNING: \([0-9]*\) records of output lost.*|\1|p' out)
[ "${lost:-0}" -gt 0 ] && echo "some lost" || cat out
[ $(($(head -n 1 out) + ${lost:-0})) = 200000 ] && echo whole || cat out
