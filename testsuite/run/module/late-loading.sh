# SPDX-License-Identifier: GPL-2.0-or-later
# Probes on a module that is not there at the start come with it, each time, its init function's and its exit
# function's among them; those on one that leaves go.  The module's own counts say what ran.
# timeout: 120
# stderr: WARNING: module stap_target is not loaded: its probes begin when it is
# stderr-re: WARNING: probe kernel.trace\("(drm:)?drm_vblank_event"\) could not be attached: this kernel has no such tracepoint now.*
# stderr: WARNING: function target_init is not in module stap_target: not probed
# expect: module: twin_main 4 twin_other 2
# expect: module: twin_main 4 twin_other 2
# expect: module: twin_main 4 twin_other 2
# expect: module: twin_main 4 twin_other 2
# expect: first 8 twins 24 second.return 16 init 4 exit 4 traced 120
# expect: loaded before
# expect: first 3 twins 9 second.return 6 init 0 exit 1 traced 60
# expect: another module came
# expect: lines 3000
# expect: modules: none
. $TOP/testsuite/lib/script.sh
target stap_target
cat > late.stp <<'END'
global first, twins, second, inits, exits, traced
probe kprobe.module("stap_target").function("target_first") { first++ }
probe kprobe.module("stap-target").function("target_twin") { twins++ }
probe kprobe.module("stap_target").function("target_second").return { second++ }
probe kprobe.module("stap_target").function("target_init") { inits++ }
probe kprobe.module("stap_target").function("target_exit") { exits++ }
probe kernel.trace("drm_vblank_event") { traced += $seq; if ($arg2 != $seq || $arg1 * 10 != $seq) error("arguments") }
probe end {
	printf("first %d twins %d second.return %d init %d exit %d traced %d\n", first, twins, second, inits, exits, traced)
}
END
cat > cycles.sh <<'END'
for i in 1 2 3 4; do
	insmod stap_target.ko || exit 1
	echo 2 > /proc/stap_target
	echo module: `head -2 /proc/stap_target`
	rmmod stap_target || exit 1
done
END
module late.stp -m late > /dev/null
$GUEST sh -c "cd $PWD; $STAPRUN late.ko -c 'sh cycles.sh'"
echo loaded before
$GUEST sh -c "cd $PWD; insmod stap_target.ko; $STAPRUN late.ko -c \"sh -c 'echo 3 > /proc/stap_target; rmmod stap_target'\""
# While a session waits for who reads its output, other modules (those of other sessions, say) come and go.
cat > full.stp <<'END'
global n, text = "0123456789"
probe kprobe.module("stap_target").function("target_first") { n++ }
probe begin {
	println("first")
	for (i = 0; i < 6; i++)
		text = text . text
	for (i = 0; i < 3000; i++)
		println(text)
}
probe timer.ms(10) { exit() }
END
echo 'probe oneshot { println("another module came") }' > other.stp
cat > full.sh <<END
rm -f full.out; mkfifo full.out
$STAPRUN $(module full.stp -DMAXSTRINGLEN=1000) > full.out 2> full.err &
exec 3< full.out
head -c 6 <&3 > full.first
$STAPRUN $(module other.stp) > other &
for try in \$(seq 100); do [ -s other ] && break; sleep 0.1; done
cat other
cat <&3 | grep -c ^0123 | sed 's/^/lines /'
wait
END
$GUEST sh -c "cd /tmp; sh $PWD/full.sh"
modules_left
