# SPDX-License-Identifier: GPL-2.0-or-later
# Where a lock is not to be waited for, what is lost is counted: hits = counted + skipped, at exit.
# timeout: 120
# expect: whole
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n, m
probe kernel.function("__x64_sys_getpgid") {
	if (pid() != target()) next
	if (n == m) { n++; m++ }
}
probe end { printf("counted %d\n", n) }
END
$GUEST $STAPRUN -c './calls 4 20000' $(module script.stp -DMAXTRYLOCK=0 -DMAXSKIPPED=1000000) > out 2> err
counted=$(sed -n 's/^counted //p' out)
skipped=$(sed -n 's/^WARNING: Number of errors: 0, skipped probes: //p' err)
[ $((counted + ${skipped:-0})) = 80000 ] && echo whole
cat out err > both
[ $((counted + ${skipped:-0})) = 80000 ] || cat both
