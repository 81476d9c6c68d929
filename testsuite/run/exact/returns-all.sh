# SPDX-License-Identifier: GPL-2.0-or-later
# Many threads sleeping in a probed function at the same time: every return is seen, or counted as missed.
# timeout: 120
# expect: whole
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global entered, returned
probe kernel.function("hrtimer_nanosleep") { entered++ }
probe kernel.function("hrtimer_nanosleep").return { returned++ }
probe end { printf("%d %d\n", entered, returned) }
END
$GUEST $STAPRUN -c 'sh -c "i=0; while [ \$i -lt 60 ]; do sleep 1 & i=\$((i + 1)); done; wait"' $(module script.stp) > out 2> err
read entered returned < out
missed=$(sed -n 's/^WARNING: .*skipped probes: //p' err)
[ "$entered" -ge 60 ] && [ $((returned + ${missed:-0})) = "$entered" ] && echo whole || cat out err
