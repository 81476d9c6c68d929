# Handlers that take more than their share of the time end the session, which says how much it was; without the
# limit they go on.
# timeout: 120
# expect: 1
# expect: named
# expect: 0
# expect: unlimited
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n
probe kernel.function("__x64_sys_getpgid") { if (pid() == target()) for (i = 0; i < 100; i++) n++ }
END
limits='-DSTP_OVERLOAD_INTERVAL=100000000LL -DSTP_OVERLOAD_THRESHOLD=1000000LL'
$GUEST $STAPRUN -c './calls 1 300000' $(module script.stp $limits) > out 2> err
echo $?
grep -Eq "ERROR: probe overhead exceeded threshold: handlers took [0-9]+\.[0-9]% of CPU [0-9]+'s time over the last [0-9]+ ms \(limit 1\.0%" err &&
	echo named || cat err
$GUEST $STAPRUN -c './calls 1 100000' $(module script.stp $limits -DSTP_NO_OVERLOAD) > out 2> err
echo $?
grep -q overhead err && cat err || echo unlimited
