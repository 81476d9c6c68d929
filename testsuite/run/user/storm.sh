# SPDX-License-Identifier: GPL-2.0-or-later
# Forks by the thousand, execs, threads and kill -9 as fast as they come: each begin and each end once, in order, as many as the program counts, and
# no memory is kept; loading and unloading in the middle of it, several times, leaves nothing behind.  A session ends also while a thread is held in munmap(2)
# before it can tell of what is mapped now.
# timeout: 120
# expect: counts are the program's: wrong 0, left 0, something 1
# expect: memory: as before
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
	if (target()) printf("begins %d ends %d threads %d/%d\nwrong %d, left %d, something %d\n", b, e, tb, te, wrong, left,
		b > 1000 && tb > 100 && calls > 1000 && returns > 1000 && hits > 1000)
	else printf("wrong %d\n", wrong)
}
END
# A CPU that the machine underneath takes away may hold a lock for long: no hit is to be skipped for that.
file=$(module storm.stp -DMAXSKIPPED=-1 -DSTP_NO_OVERLOAD -DMAXMAPENTRIES=8192)
# KASAN keeps freed memory for a while, up to a 32nd of all.
$GUEST sh -c "awk '/^MemTotal/ { print \$1, \$2 }' /proc/meminfo; grep -o -m 1 ' kasan_report$' /proc/kallsyms; grep MemAvailable /proc/meminfo; $STAPRUN -o /tmp/bomb -c './storm 1000 b' $file; cat /tmp/bomb; rm -f /tmp/bomb; grep MemAvailable /proc/meminfo" |
	awk '/^MemT/ { all = $2; spare = 50000; next }
		/kasan_report/ { spare += all / 32; next }
		/^MemA/ { if (was) print "memory:", ($2 > was - spare ? "as before" : was - $2 " kB less"); was = $2; next }
		/^begins/ { if (!truth) truth = $0; else counted = $0 == truth ? "counts are the program\047s" : "counted " $0 ", not " truth; next }
		{ print counted ":", $0 }'
$GUEST sh -c "./storm 6 & for i in 1 2 3; do $STAPRUN -T 1 $file; done; wait"
trigger held
cat > held.stp <<'END'
global where
probe process("./held").function("main") { where = usymname(uaddr()) }
probe timer.ms(100) { println("ready") }
probe end { println(where == "" ? "no main" : "ended") }
END
# The name is asked for as an address is met: it may come too late for the one hit.  Kernels without userfaultfd hold nobody.
$GUEST sh -c "sh $TOP/testsuite/lib/live.sh './held > /tmp/held 2>&1 & held=\$!; until grep -q held /tmp/held || ! kill -0 \$held; do sleep 0.1; done 2> /dev/null' $STAPRUN -w $(module held.stp)
	kill -9 \$(pidof held) 2> /dev/null"
modules_left
