# SPDX-License-Identifier: GPL-2.0-or-later
# kill -TERM ends the session as ^C does; after kill -KILL the module is gone all the same.
# expect: end
# expect: TERM 0
# expect: modules: none
# expect: KILL 137
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe kernel.function("vfs_read") { n++ }
global n
probe end { println(n >= 0 ? "end" : "") }
END
file=$(module script.stp)
for signal in TERM KILL; do
	$GUEST sh -c "$STAPRUN $file & child=\$!
		until grep -q ^stap_ /proc/modules; do sleep 0.1; done; sleep 1
		kill -$signal \$child; wait \$child; echo $signal \$?" < /dev/null 2> /dev/null
	modules_left
done
