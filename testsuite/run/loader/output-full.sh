# SPDX-License-Identifier: GPL-2.0-or-later
# A full disk: one error, status 1, the module gone.
# expect: status 1
# expect: ERROR: cannot write the output: No space left on device
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe begin { println("x") }
probe timer.ms(10) { println("y") }
probe end { println("z") }
END
$GUEST $STAPRUN -o /dev/full $(module script.stp) 2> err
echo "status $?"
cat err
modules_left
