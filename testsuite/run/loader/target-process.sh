# SPDX-License-Identifier: GPL-2.0-or-later
# -x: target() is the process; that it ends does not end the session; one that is not there is no error.
# A loader that is stopped (^Z) makes no tables of programs: those that target() starts do not wait for them (10 s and more each).
# expect: target ok
# expect: still here
# expect: status 0
# expect: stopped: 3 programs ran at once
# expect: stopped: status 0
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global want
probe begin { if (target() == want) println("target ok") }
probe timer.s(2) { println("still here"); exit() }
END
cat > run.sh <<END
sleep 0.5 &
pid=\$!
$STAPRUN -x \$pid $(module script.stp) want=\$pid
echo "status \$?"
END
$GUEST sh run.sh

cat > stopped.stp <<'END'
global n
probe process.begin { n[usymname(uaddr())]++ }
probe timer.ms(100) { if (!said++) println("ready") }
global said
END
cat > stopped.sh <<END
cd /tmp
for n in 1 2 3; do cp /bin/true program\$n; done
(until [ -e go ]; do sleep 0.1; done
start=\$(date +%s); for n in 1 2 3; do ./program\$n; done; echo \$((\$(date +%s) - start)) > done; exec sleep 1000) &
target=\$!
env --default-signal=INT $STAPRUN -x \$target $(module stopped.stp) > out 2> /dev/null &
session=\$!
until grep -q ready out; do sleep 0.1; done
kill -STOP \$session
touch go
until [ -s done ]; do sleep 0.1; done
[ \$(cat done) -lt 15 ] && echo "stopped: 3 programs ran at once" || echo "stopped: \$(cat done) seconds"
kill -CONT \$session
kill -INT \$session
wait \$session
echo "stopped: status \$?"
kill \$target
END
$GUEST sh stopped.sh
