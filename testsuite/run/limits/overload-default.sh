# A process that does nothing but system calls is traced to its end, each call printed.
# timeout: 240
# expect: survived
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n
probe kernel.trace("sys_enter") { if (pid() == target()) { n++ printf("%s %d %d\n", execname(), pid(), $id) } }
probe end { printf("end %d\n", n >= 100000) }
END
$GUEST $STAPRUN -c './calls 1 100000' $(module script.stp) > out 2> err
status=$?
[ $status = 0 ] && grep -q '^end 1$' out && ! grep -q overhead err && echo survived || { echo "status $status"; tail -n 1 out; cat err; }
rm -f out
