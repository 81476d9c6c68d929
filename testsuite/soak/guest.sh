# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh TOP WORK SECONDS, in the guest: see soak.sh.
top=$1 work=$2 seconds=$3
staprun=$top/staprun
bad=0 rounds=0 tables=0 slowest=0
end=$(($(date +%s) + seconds))
cd /tmp || exit 1

say() { echo "$(date +%T) $*"; }
fail() { say "FAILED: $*"; bad=$((bad + 1)); }

# What runs all the time: a process that is probed and stays; programs that come and go.
$work/soak /tmp/first-byte & stays=$!
( while :; do $work/storm 3 > /dev/null 2>&1; done ) & storms=$!
( n=0; while :; do n=$((n + 1)); timeout -s KILL 0.$((n % 9 + 1)) $work/storm 5; timeout -s KILL 0.0$((n % 9 + 1)) $work/maps /dev/null 100; done > /dev/null 2>&1 ) & kills=$!
( while :; do for i in 1 2 3 4 5; do /bin/true; sh -c 'exec /bin/true'; ls / > /dev/null; done; done ) & execs=$!
trap 'kill $storms $kills $execs $stays 2> /dev/null' EXIT
sleep 1

# "Slab kB, vmalloc kB, available kB, tasks" while nothing of ours is loaded.
memory()
{
	sync
	echo 2 > /proc/sys/vm/drop_caches
	awk '{ of[$1] = $2 } END { printf "%s %s %s ", of["SUnreclaim:"], of["VmallocUsed:"], of["MemAvailable:"] }' /proc/meminfo
	ls -d /proc/[0-9]* 2> /dev/null | wc -l
}

lines()
{
	grep -v '\[vsyscall\]$\|\[uprobes\]$' "$1" | sed 's/ (deleted)$//' |
		awk '/^== / { if (NR > 1) print line; line = $0; next } { line = line "|" $0 } END { print line }' | sort
}

# No module is left, at last: emulated CPUs are slow, and all of them are busy.
gone()
{
	began=$(date +%s)
	while grep -q '^stap_' /proc/modules; do
		took=$(($(date +%s) - began))
		[ $took -gt $slowest ] && slowest=$took
		[ $took -lt 120 ] || { fail "modules stay: $(grep '^stap_' /proc/modules)"; show_tasks; return; }
		sleep 0.3
	done
}

# What our processes and workers wait for.
show_tasks()
{
	for task in /proc/[0-9]*; do
		grep -q 'stap\|stp_' $task/comm $task/stack 2> /dev/null && { cat $task/comm; cat $task/stack; }
	done
}

# The truth of mappings: a program writes what /proc says, the script what it knows.
compare()
{
	rm -f truth out
	$staprun -o out -c "$work/maps /tmp/truth 100 $rounds" $work/stap_tables_$1.ko || fail "tables ($1): status $?"
	lines out > out.lines
	lines truth > truth.lines
	cmp -s out.lines truth.lines || {
		fail "tables ($1) are not those of /proc, round $rounds"
		diff truth.lines out.lines | tr '|' '\n' > differ.a
		sed -n '/^</,/^>/p' differ.a | sort > differ.b
		diff out.lines truth.lines | cut -c 1-60
	}
	tables=$((tables + $(wc -l < truth.lines)))
}

clean()
{
	rm -f first-byte
	kill -USR1 $stays
	for try in $(seq 100); do [ -s first-byte ] && break; sleep 0.2; done
	[ "$(cat first-byte 2> /dev/null)" = clean ] || fail "a probe is left in a program: '$(cat first-byte 2> /dev/null)'"
}

# In a parent that waits for nothing: loaders are killed as well.
while [ $(date +%s) -lt $end ]; do
	rounds=$((rounds + 1))
	for strategy in probe syscall; do
		for name in stacks tasks; do
			$staprun -T 2 $work/stap_${name}_$strategy.ko > out 2> err || fail "$name ($strategy): status $? $(head -n 3 err)"
			$staprun -c "$work/storm 2" $work/stap_${name}_$strategy.ko > out 2> err || fail "$name ($strategy) -c: status $? $(head -n 3 err)"
			$staprun $work/stap_${name}_$strategy.ko > out 2> err & loader=$!
			sleep 0.$((rounds % 9 + 1))
			kill -KILL $loader
			wait $loader 2> /dev/null
			gone
		done
		compare $strategy
	done
	gone
	clean
	memory >> memory
	say "round $rounds: unreclaimable slab, vmalloc, available kB, processes: $(tail -n 1 memory)"
done
kill $storms $kills $execs $stays
wait 2> /dev/null
if [ -e /sys/kernel/debug/kmemleak ]; then
	echo scan > /sys/kernel/debug/kmemleak; sleep 5; echo scan > /sys/kernel/debug/kmemleak; sleep 1
	leaks=$(grep -c '^unreferenced' /sys/kernel/debug/kmemleak)
	[ "$leaks" = 0 ] || { grep -A 20 '^unreferenced' /sys/kernel/debug/kmemleak | grep -q 'stap_' && { fail "memory is leaked"; head -60 /sys/kernel/debug/kmemleak; }; }
fi
# The first third warms up; from there to the last third memory must not grow by more than 4 MB.
awk '{ s[NR] = $1; v[NR] = $2; a[NR] = $3 } END { n = int(NR / 3); if (n < 2) exit
	for (i = 1; i <= n; i++) { s1 += s[n + i]; s2 += s[2 * n + i]; v1 += v[n + i]; v2 += v[2 * n + i]; a1 += a[n + i]; a2 += a[2 * n + i] }
	printf "memory, second to last third of %d rounds: unreclaimable slab %+d kB, vmalloc %+d kB, available %+d kB\n", NR, (s2 - s1) / n, (v2 - v1) / n, (a2 - a1) / n
	if ((s2 - s1) / n > 4096 || (v2 - v1) / n > 4096) print "GROWS" }' memory > trend
cat trend
! grep -q GROWS trend || fail "memory grows"
say "$rounds rounds, $tables tables compared, modules gone after $slowest s at most, $bad failures"
[ $bad = 0 ]
