#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: instructions per probe hit, and start-up times, as a table.
#
# Instructions: a guest with one CPU whose clock counts instructions (stap-vm --icount); a loop of read(2) with a probe
# on vfs_read, less the same loop without. Start-up: the median of RUNS runs on this machine.
# Usage: run.sh [KERNEL-RELEASE]
set -eu
cd "$(dirname "$0")/../.."
here=$PWD
RUNS=${RUNS:-7}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/stap-bench.XXXXXX")
cleanup() {
	for s in "$tmp"/vm "$tmp"/vm2; do
		[ -S "$s" ] && ./stap-vm stop --socket "$s" >/dev/null 2>&1
	done
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

release=${1:-$(./stap-vm kernels | awk '/with headers/ { print $1 }' | sort -V | tail -n 1)}
[ -n "$release" ] || { echo "no kernel with headers: make setup" >&2; exit 1; }
say() { printf '%s\n' "$*" >&2; }
${CC:-gcc} -O2 -static -o "$tmp/hit" testsuite/bench/hit.c

# name|aim|script
cat > "$tmp/cases" <<'CASES'
entry, n++|90|global n probe kernel.function("vfs_read") { n++ }
entry, a[pid()] <<< 1|150|global a probe kernel.function("vfs_read") { a[pid()] <<< 1 }
entry, a[execname()]++|280|global a probe kernel.function("vfs_read") { a[execname()]++ }
entry, histogram|130|global h probe kernel.function("vfs_read") { h <<< $count } probe end { print(@hist_log(h)) }
return, n++|520|global n probe kernel.function("vfs_read").return { n++ }
entry, printf string and number|500|probe kernel.function("vfs_read") { printf("%s %d\n", execname(), pid()) }
tracepoint sys_enter, n++||global n probe kernel.trace("sys_enter") { n++ }
entry to return, histogram of latency||global t, h probe kernel.function("vfs_read") { t[tid()] = gettimeofday_ns() } probe kernel.function("vfs_read").return { if (tid() in t) { h <<< gettimeofday_ns() - t[tid()] delete t[tid()] } } probe end { print(@hist_log(h)) }
entry, backtrace as key||global s probe kernel.function("vfs_read") { s[backtrace()]++ }
entry, user stack of 10 frames as key|4000|global s probe kernel.function("vfs_read") { s[ubacktrace()]++ }
entry, user stack of 10 frames printed|15000|probe kernel.function("vfs_read") { print_ubacktrace() }
CASES

say "building modules for $release"
n=0
while IFS='|' read -r name aim script; do
	n=$((n + 1))
	(cd "$tmp" && "$here/stap" -r "$release" -p4 -m "bench$n" --suppress-time-limits -e "$script" >/dev/null) || say "case $n ($name) does not build"
done < "$tmp/cases"

say "booting $release, one CPU, counting instructions"
./stap-vm start --socket "$tmp/vm" --kernel "$release" --icount --parent $$ >/dev/null
vm() { ./stap-vm exec --socket "$tmp/vm" --timeout 300 -- "$@" </dev/null; }
per_call() { sed -n 's/^.*per-call \([0-9]*\)$/\1/p' "$1"; }
vm "$tmp/hit" 40000 2> "$tmp/base"
base=$(per_call "$tmp/base")

printf '| instructions per hit, Linux %s | measured | aim |\n|---|---|---|\n' "$release"
n=0
while IFS='|' read -r name aim script; do
	n=$((n + 1))
	[ -e "$tmp/bench$n.ko" ] || continue
	case $name in *'10 frames'*) depth=' 4' ;; *) depth= ;; esac # read measure 5*deeper main and two of libc
	vm "$here/staprun" -N -c "$tmp/hit 40000$depth" "$tmp/bench$n.ko" > "$tmp/out" 2> "$tmp/err" || :
	t=$(per_call "$tmp/err")
	if [ -n "$t" ]; then
		printf '| %s | %s | %s |\n' "$name" "$(( (t - base + 50) / 100 ))" "$aim"
	else
		printf '| %s | failed | %s |\n' "$name" "$aim"
		head -n 5 "$tmp/err" >&2
	fi
done < "$tmp/cases"
./stap-vm stop --socket "$tmp/vm" >/dev/null

now_ms() { echo $(($(date +%s%N) / 1000000)); }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
fresh() { ./stap "-DBENCH=$(date +%s%N)" "$@"; } # a setting that no module in the cache was made with
startup() { # name aim command...
	name=$1 aim=$2
	shift 2
	t=$(for i in $(seq "$RUNS"); do a=$(now_ms); "$@" >/dev/null 2>&1; echo $(($(now_ms) - a)); done | median)
	printf '| %s | %d.%03d | %s |\n' "$name" $((t / 1000)) $((t % 1000)) "$aim"
}
printf '\n| seconds (median of %s), for Linux %s | measured | aim |\n|---|---|---|\n' "$RUNS" "$release"
hello='probe begin { println("hi") exit() }'
startup "pass 1 to 4, hello world, linked anew" 0.15 fresh -r "$release" -p4 -e "$hello"
startup "pass 1 to 4, hello world, cached" "" ./stap -r "$release" -p4 -e "$hello"
startup "pass 1 to 4, sched_switch, two arguments" 0.3 fresh -r "$release" -p4 \
	-e 'probe kernel.trace("sched_switch") { printf("%d %d\n", $prev->pid, $next->pid) }'
startup "pass 1 to 4, vfs_read, two arguments" 0.3 fresh -r "$release" -p4 \
	-e 'probe kernel.function("vfs_read") { printf("%p %d\n", $file, $count) }'
RUNS=1 startup "runtime of a kernel never seen" 6 env SYSTEMTAP_DIR="$tmp/fresh" ./stap --prep -r "$release"
printf '| module size of hello world, bytes | %s | 24576 |\n' \
	"$(stat -c %s "$(./stap -r "$release" -p4 -e "$hello")")"

say "booting $release, two CPUs"
if (cd "$tmp" && "$here/stap" -r "$release" -p4 -m many -e 'global n probe kernel.function("[a-k]*") { n++ } probe end { println(n > 0) }' >/dev/null); then
	./stap-vm start --socket "$tmp/vm2" --kernel "$release" --turns --parent $$ >/dev/null
	./stap-vm exec --socket "$tmp/vm2" --timeout 300 -- sh -c "echo 0 > /proc/sys/kernel/hung_task_timeout_secs 2>/dev/null
		'$here/staprun' -v -T 1 '$tmp/many.ko'" </dev/null > "$tmp/many.out" 2>&1 || :
	sed -n 's/^staprun: \(.* attached.*\)$/| \1 | | 2 s for 10,000 |/p' "$tmp/many.out"
	./stap-vm stop --socket "$tmp/vm2" >/dev/null
fi
