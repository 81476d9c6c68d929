#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# soak.sh SECONDS [KERNEL | DIR [RELEASE]]: processes exec, fork, map and die under probes, while modules are loaded and unloaded again and again, some by
# kill -9 of their loader.  Fails on a kernel warning, a module or breakpoint that stays, memory that grows, and a table of mappings that is not
# that of /proc.  KERNEL: of `stap-vm kernels`; DIR: a kernel in DIR/boot and DIR/lib/modules.
top=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:?"how many seconds?"} kernel=${2:-6.12}
work=$top/build/soak/$$
mkdir -p "$work" && cd "$work" || exit 1
case $kernel in
/*)	release=${3:-$(ls "$kernel/lib/modules")}
	headers=$kernel/lib/modules/$release/build
	boot="--kernel-dir $kernel --boot-timeout 200 --append kmemleak=on" ;;
*)	release=$(ls /lib/modules | grep "^$kernel[.-]" | sort -V | tail -n 1)
	headers=$release
	boot="--kernel $kernel" ;;
esac
for trigger in maps storm soak; do
	cc -O2 -pthread -Wno-unused-result -o $trigger "$top/testsuite/triggers/$trigger.c" || exit 1
done
number=0
for script in "$top"/testsuite/soak/*.stp; do
	number=$((number + 1))
	name=$(basename "$script" .stp)
	for strategy in probe syscall; do
		"$top/stap" -p4 -r "$headers" -DMAXSKIPPED=-1 -DMAXERRORS=100 -DSTP_NO_OVERLOAD -DSTP_VMA_STRATEGY=$strategy -m stap_${name}_$strategy \
			"$script" > /dev/null || exit 1
	done
done
# In turns: CPUs in threads of their own can die of the emulator (runtime/vm/README).
exec "$top/stap-vm" run $boot --turns --hang 300 --timeout $((seconds + 300)) --fail-on-warning -- sh "$top/testsuite/soak/guest.sh" "$top" "$work" "$seconds"
