#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What following mappings costs: instructions of system calls that change them, as a table.  A guest with one CPU whose clock counts
# instructions; scripts that follow another process, and then the one that is measured.
# Usage: maps.sh [KERNEL-RELEASE]
set -eu
cd "$(dirname "$0")/../.."
here=$PWD
tmp=$(mktemp -d "${TMPDIR:-/tmp}/stap-bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
release=${1:-$(./stap-vm kernels | awk '/with headers/ { print $1 }' | sort -V | tail -n 1)}
${CC:-gcc} -O2 -o "$tmp/maps" testsuite/bench/maps.c
build() { # NAME STRATEGY SCRIPT
	(cd "$tmp" && "$here/stap" -r "$release" -p4 -m "$1_$2" -DSTP_NO_OVERLOAD -DSTP_VMA_STRATEGY="$2" -e "$3" > /dev/null)
}
for strategy in probe syscall; do
	build names $strategy 'probe timer.s(1000) { println(usymname(1)) }'
	build events $strategy 'global n probe process.vma.map, process.vma.unmap, process.vma.protect { n++ }'
done
cat > "$tmp/guest.sh" <<'E2'
sleep 1000 & other=$!
./maps "nothing loaded" names
for module in names_probe events_probe names_syscall events_syscall; do
	$1 -x $other $module.ko > /dev/null & loader=$!
	until grep -q "^$module.*Live" /proc/modules; do sleep 0.1; done
	sleep 2
	./maps "$module, of others"
	kill -INT $loader; wait $loader
	$1 -c "./maps '$module, watched'" $module.ko
done
kill $other
E2
./stap-vm run --kernel "$release" --icount --hang 300 -- sh -c "cd $tmp && sh guest.sh $here/staprun"
