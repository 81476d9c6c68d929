# SPDX-License-Identifier: GPL-2.0-or-later
# Forks, execs, threads and kill -9 as fast as they come: each begin and each end once, in order; loading and unloading
# in the middle of it, several times, leaves nothing behind.  A session ends also while a thread is held in munmap(2)
# before it can tell of what is mapped now.
# timeout: 120
# expect: agree 1, threads agree 1, something 1, wrong 0, left 0
# expect: wrong 0
# expect: wrong 0
# expect: wrong 0
# expect: ended
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
trigger storm
cat > storm.stp <<'END'
global b, e, tb, te, calls, returns, hits, wrong, live
probe process.begin { b++; if (pid() in live) wrong++; live[pid()] = 1 }
probe process.end { e++; if (!(pid() in live)) wrong++; delete live[pid()] }
probe process.thread.begin { tb++; if (tid() == pid()) wrong++ }
probe process.thread.end { te++ }
probe process("./storm").syscall { calls++ }
probe process("./storm").syscall.return { returns++ }
probe process("./storm").library("libc.so.6").function("fork") { hits++ }
probe process("./storm").library("libc.so.6").function("fork").return { if (@entry(pid()) != pid() && returnval()) wrong++ }
probe process("./storm").plt { hits++ }
probe end {
	foreach (p in live) left++
	if (target()) printf("agree %d, threads agree %d, something %d, wrong %d, left %d\n", b == e, tb == te,
		b > 20 && tb > 10 && calls > 100 && returns > 100 && hits > 20, wrong, left)
	else printf("wrong %d\n", wrong)
}
END
file=$(module storm.stp -DMAXSKIPPED=-1 -DSTP_NO_OVERLOAD)
$GUEST sh -c "$STAPRUN -c './storm 4' $file; ./storm 7 & for i in 1 2 3; do $STAPRUN -T 1 $file; done; wait"
trigger held
cat > held.stp <<'END'
global where
probe process("./held").function("main") { where = usymname(uaddr()) }
probe timer.ms(100) { println("ready") }
probe end { println(where == "" ? "no main" : "ended") }
END
# the name is asked for as an address is met: it may come too late for the one hit
$GUEST sh -c "sh $TOP/testsuite/lib/live.sh './held > /tmp/held & until grep -q held /tmp/held; do sleep 0.1; done' $STAPRUN -w $(module held.stp)
	kill -9 \$(pidof held)"
modules_left
