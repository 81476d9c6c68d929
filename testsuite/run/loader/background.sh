# SPDX-License-Identifier: GPL-2.0-or-later
# -D goes to the background, prints the process to kill, and writes to its file; one that cannot be written is told before, as
# is what hinders the start; a script that is over with its begin probes is told by how it ended.
# expect: it was staprun
# expect: begin
# expect: end
# expect: ERROR: cannot write to /nowhere/log: No such file or directory
# expect: 1
# expect: ERROR: the script has no global variable unknown
# expect: 1
# expect: ERROR: no start near identifier 'error' at fails.stp:1:15
# expect: 1
# expect: a pid
# expect: 0
# expect: over
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe begin { println("begin") }
probe end { println("end") }
END
cat > run.sh <<END
pid=\$($STAPRUN -D -o /run/log $(module script.stp))
until grep -q begin /run/log; do sleep 0.1; done
[ "\$(cat /proc/\$pid/comm)" = staprun ] && echo it was staprun
kill \$pid
while test -d /proc/\$pid; do sleep 0.1; done
cat /run/log
rm /run/log
END
$GUEST sh run.sh
$GUEST sh -c "$STAPRUN -D -o /nowhere/log $(module script.stp) 2>&1; echo \$?"
$GUEST sh -c "$STAPRUN -D -o /run/log $(module script.stp) unknown=1 2>&1; echo \$?"
echo 'probe begin { error("no start") }' > fails.stp
echo 'probe begin { exit() } probe end { println("over") }' > over.stp
$GUEST sh -c "$STAPRUN -D -o /run/log $(module fails.stp) 2>&1; echo \$?" | grep -v '^WARNING: Number of errors'
$GUEST sh -c "$STAPRUN -D -o /run/log $(module over.stp) > /run/pid; echo \$? > /run/status; grep -q '^[0-9]*\$' /run/pid && echo a pid
	cat /run/status; while [ -d /proc/\$(cat /run/pid) ]; do sleep 0.1; done; cat /run/log"
modules_left
