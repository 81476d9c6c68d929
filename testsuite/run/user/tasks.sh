# SPDX-License-Identifier: GPL-2.0-or-later
# Events of processes and threads: each once, in order, with the names and numbers of whom they are about; what runs already
# begins once; system calls as strace counts them.
# expect: tree: begin sh, begin sh, end tasks, begin tasks, end tasks, begin sh, end true, begin true, end true, end sh
# expect: threads: 3 began, 3 ended
# expect: paths: begin 2 end 2 thread 3/3, begin and end agree 1
# expect: running: sleep begins 1, ends 1; thread sleeps 1
# expect: through return probes: 3, of their own 0
# expect: syscalls: same as strace
# expect: returns: 3 of 3 right
# expect: pid alone: begin 1
# expect: in its namespaces 2 1 77, in the loader's W W 0
. "$TOP/testsuite/lib/script.sh"
trigger tasks
LIVE="$GUEST sh $TOP/testsuite/lib/live.sh"
cat > tree.stp <<'END'
global line, tb, te
function note(what) { line .= (line == "" ? "" : ", ") . what }
probe process.begin { note("begin " . execname()) }
probe process.end { note("end " . execname()) }
probe process.thread.begin { tb++; if (tid() == pid()) error("a thread that leads its process") }
probe process.thread.end { te++ }
probe end { println("tree: ", line); printf("threads: %d began, %d ended\n", tb, te) }
END
$GUEST $STAPRUN -c "sh -c './tasks 3; /bin/true; true'" $(module tree.stp)
cat > paths.stp <<'END'
global begins, ends, tb, te, running, wrong
probe process("./tasks").begin { begins++; running[pid()] = 1; if (execname() != "tasks" && execname() != "other") wrong++ }
probe process("./tasks").end { ends++; if (!(pid() in running)) wrong++; delete running[pid()] }
probe process("./tasks").thread.begin { tb++ }
probe process("./tasks").thread.end { te++ }
function left() { n = 0; foreach (p in running) n++; return n }
global said
probe timer.ms(50) { if (!said++) println("ready") }
probe end { printf("paths: begin %d end %d thread %d/%d, begin and end agree %d\n", begins, ends, tb, te, !wrong && !left()) }
END
$LIVE "ln -sf $PWD/tasks /tmp/other; /tmp/other 3; (cd /tmp; $PWD/tasks 0)" $STAPRUN $(module paths.stp)
cat > running.stp <<'END'
global begins, ends, threads, want
probe process(@1).begin { if (pid() == want && execname() == "sleep" && uid() == 0 && user_string2(@cast(task_current(), "task_struct")->mm->arg_start, "?") == "sleep") begins++ }
probe process(@1).end { if (pid() == want) ends++ }
probe process("./tasks").thread.begin { threads++ }
global said
probe timer.ms(50) { if (begins && threads && !said++) println("ready") }
probe end { printf("running: sleep begins %d, ends %d; thread sleeps %d\n", begins, ends, threads) }
END
# Two that run before the session, and what it says of them once they are seen.
$GUEST sh -c "sleep 100 & sleeper=\$!; ./tasks -1 & other=\$!; sleep 0.5
	sh $TOP/testsuite/lib/live.sh 'kill '\$sleeper'; sleep 0.5; kill '\$other $STAPRUN $(module running.stp $(command -v sleep)) want=\$sleeper" \
	2> errors; grep -v Terminated errors >&2
# The truth is strace's: its summary of calls, for the same program; calls that the kernel's return probes make (uretprobe) are not the program's.
cat > syscalls.stp <<'END'
global n, odd, returns
probe process.syscall { n[$syscall]++ }
probe process.syscall.return { if ($syscall < 0 || $syscall == 335) odd++ }
probe process("./tasks").plt("syscall").return { returns++ }
probe end { foreach (s+ in n) printf("%d %d\n", s, n[s]); printf("through return probes: %d, of their own %d\n", returns, odd) }
END
$GUEST $STAPRUN -o /tmp/calls -c './tasks 0' $(module syscalls.stp)
$GUEST cat /tmp/calls > told
grep -v through told > calls
grep through told
$GUEST sh -c 'strace -f -n -o /tmp/trace ./tasks 0; cat /tmp/trace' | grep -v '+++' | sed -n 's/^[0-9]* *\[ *\([0-9]*\)\] .*/\1/p' | sort -n | uniq -c |
	awk '{ print $2, $1 }' > truth
# the loader's exec belongs to what it was before
grep -v '^59 ' truth > truth.rest
cmp -s calls truth.rest && echo 'syscalls: same as strace' || { echo 'syscalls:'; diff calls truth.rest; }
cat > returns.stp <<'END'
global right, all
probe process("./tasks").syscall.return { if ($syscall == 39) { all++; if ($return == pid()) right++ } }
probe end { printf("returns: %d of %d right\n", right, all) }
END
$GUEST $STAPRUN -c './tasks 0' $(module returns.stp)
cat > pid.stp <<'END'
global n
probe process(@1).begin { if (pid() == @1) n++ }
probe end { println("pid alone: begin ", n) }
END
sed -i 's/process(@1)/process($1)/; s/== @1/== $1/' pid.stp
$GUEST $STAPRUN -T 1 $(module pid.stp 1)
# Numbers in another process's namespaces; there the shell is process 1, and its user is called 77.
cat > namespaces.stp <<'END'
global want
probe begin { t = pid2task(want); printf("%d %d %d", task_ns_pid(t), task_ns_tid(t) == task_ns_pid(t) ? task_ns_ppid(t) : -1, task_ns_uid(t)); exit() }
END
cat > namespaces.sh <<'END'
unshare -Ufp --map-user=77 sh -c 'sleep 100; :' &
until sh=$(pgrep -P $!) && want=$(pgrep -P $sh); do sleep 0.1; done
echo "in its namespaces $($1 -n $sh $2 want=$want), in the loader's $("$@" want=$want | sed "s/\<\($want\|$sh\)\>/W/g")"
kill $want
END
$GUEST sh $PWD/namespaces.sh $STAPRUN $(module namespaces.stp) 2> errors; grep -v Terminated errors >&2 || true
