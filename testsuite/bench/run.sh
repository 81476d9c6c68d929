#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: instructions per probe hit, and start-up times, as a table.
#
# Instructions: a guest with one CPU whose clock counts instructions (stap-vm --icount); a loop of read(2) with a probe
# on vfs_read, less the same loop without. Start-up: the median of RUNS runs on this machine.
# The other tracers' module sizes and start-up times: SystemTap's hello world has 150 to 172 kB and takes 14.8 s the first time, bpftrace's BEGIN 1.1 s.
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

# Two other tracers: what they were measured at on Linux 7.2.13 (SystemTap 5.6, bpftrace 0.27.1; 30 November 2026, the same method), and, where they are
# installed (or PEER_STAP, PEER_BPFTRACE say where), what they cost here.
PEER_STAP=${PEER_STAP:-/usr/bin/stap}
PEER_BPFTRACE=${PEER_BPFTRACE:-$(command -v bpftrace || :)}
"$PEER_STAP" --version 2>&1 | grep -q 'Systemtap translator' || PEER_STAP=

# name|aim|SystemTap's figure|bpftrace's figure|script|bpftrace's program
cat > "$tmp/cases" <<'CASES'
entry, n++|90|497|794|global n probe kernel.function("vfs_read") { n++ }|kprobe:vfs_read { @n++ }
entry, a[pid()] <<< 1|150|580|474|global a probe kernel.function("vfs_read") { a[pid()] <<< 1 }|kprobe:vfs_read { @[pid] = count() }
entry, a[execname()]++|280|1104|1056|global a probe kernel.function("vfs_read") { a[execname()]++ }|kprobe:vfs_read { @[comm] = count() }
entry, histogram|130|600|555|global h probe kernel.function("vfs_read") { h <<< $count } probe end { print(@hist_log(h)) }|kprobe:vfs_read { @ = hist(arg2) }
return, n++|520|816|1092|global n probe kernel.function("vfs_read").return { n++ }|kretprobe:vfs_read { @n++ }
entry, printf string and number|500|4199|1839|probe kernel.function("vfs_read") { printf("%s %d\n", execname(), pid()) }|kprobe:vfs_read { printf("%s %d\n", comm, pid) }
tracepoint sys_enter, n++||404|1046|global n probe kernel.trace("sys_enter") { n++ }|rawtracepoint:sys_enter { @n++ }
entry to return, histogram of latency|||7797|global t, h probe kernel.function("vfs_read") { t[tid()] = gettimeofday_ns() } probe kernel.function("vfs_read").return { if (tid() in t) { h <<< gettimeofday_ns() - t[tid()] delete t[tid()] } } probe end { print(@hist_log(h)) }|kprobe:vfs_read { @t[tid] = nsecs } kretprobe:vfs_read /@t[tid]/ { @ = hist(nsecs - @t[tid]); delete(@t[tid]) }
entry, kernel stack as key|5500|34251|7376|global s probe kernel.function("vfs_read") { s[backtrace()]++ }|kprobe:vfs_read { @[kstack] = count() }
entry, user stack of 10 frames as key|4000|> 234000|6519 (5 frames)|global s probe kernel.function("vfs_read") { s[ubacktrace()]++ }|kprobe:vfs_read { @[ustack] = count() }
entry, user stack of 10 frames printed|15000|1260000|10214 (5 frames)|probe kernel.function("vfs_read") { print_ubacktrace() }|kprobe:vfs_read { print(ustack) }
CASES

say "building modules for $release"
n=0
while IFS='|' read -r name aim of_stap of_bpftrace script program; do
	n=$((n + 1))
	(cd "$tmp" && "$here/stap" -r "$release" -p4 -m "bench$n" --suppress-time-limits -e "$script" >/dev/null) || say "case $n ($name) does not build"
	[ -z "$PEER_STAP" ] || (cd "$tmp" && "$PEER_STAP" -r "$release" -p4 -m "peer$n" --suppress-time-limits -e "$script" >/dev/null 2>&1) || :
done < "$tmp/cases"

say "booting $release, one CPU, counting instructions"
./stap-vm start --socket "$tmp/vm" --kernel "$release" --icount --parent $$ >/dev/null
vm() { ./stap-vm exec --socket "$tmp/vm" --timeout 300 -- "$@" </dev/null; }
per_call() { sed -n 's/^.*per-call \([0-9]*\)$/\1/p' "$1"; }
vm "$tmp/hit" 40000 2> "$tmp/base"
base=$(per_call "$tmp/base")

# per_hit COMMAND...: runs a tracer around the loop, and says what a hit costs; nothing when it did not run to its end.
per_hit() {
	vm "$@" > "$tmp/out" 2> "$tmp/err" || :
	t=$(per_call "$tmp/err" | tail -n 1)
	[ -z "$t" ] || echo "$(( (t - base + 50) / 100 ))"
}
peer() { # noted measured
	if [ -n "$2" ]; then echo "$2 here${1:+, $1 noted}"; else echo "$1"; fi
}

printf '| instructions per hit, Linux %s | stap | aim | SystemTap 5.6 | bpftrace 0.27.1 |\n|---|---|---|---|---|\n' "$release"
n=0
while IFS='|' read -r name aim of_stap of_bpftrace script program; do
	n=$((n + 1)) theirs='' bpf=''
	[ -e "$tmp/bench$n.ko" ] || continue
	case $name in *'10 frames'*) depth=' 4' ;; *) depth= ;; esac # read measure 5*deeper main and two of libc
	[ ! -e "$tmp/peer$n.ko" ] || theirs=$(per_hit "${PEER_STAP}run" -c "$tmp/hit 40000$depth" "$tmp/peer$n.ko")
	[ -z "$PEER_BPFTRACE" ] || bpf=$(per_hit "$PEER_BPFTRACE" -c "$tmp/hit 40000$depth" -e "$program")
	ours=$(per_hit "$here/staprun" -N -c "$tmp/hit 40000$depth" "$tmp/bench$n.ko")
	[ -n "$ours" ] || head -n 5 "$tmp/err" >&2
	printf '| %s | %s | %s | %s | %s |\n' "$name" "${ours:-failed}" "$aim" "$(peer "$of_stap" "$theirs")" "$(peer "$of_bpftrace" "$bpf")"
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
