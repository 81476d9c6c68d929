# SPDX-License-Identifier: GPL-2.0-or-later
# -x: target() is the process; that it ends does not end the session; one that is not there is no error.
# expect: target ok
# expect: still here
# expect: status 0
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
