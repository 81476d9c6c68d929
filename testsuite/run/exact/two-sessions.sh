# SPDX-License-Identifier: GPL-2.0-or-later
# One module file runs twice at the same time, each session with its own counts.
# expect: 300
# expect: 700
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n
probe kernel.function("__x64_sys_getpgid") { if (pid() == target()) n++ }
probe kernel.function("__x64_sys_getpgid").return { if (pid() == target()) n++ }
probe end { println(n / 2) }
END
file=$(module script.stp)
$GUEST sh -c "$STAPRUN -c 'sh -c \"sleep 1; exec ./calls 1 300\"' $file > /run/first & $STAPRUN -c 'sh -c \"sleep 1; exec ./calls 1 700\"' $file > /run/second; wait; cd /run; cat first second; rm first second"
modules_left
