# SPDX-License-Identifier: GPL-2.0-or-later
# How large modules are: what is added to the runtime must not reach scripts that do not use it.
# expect: prints: fits
# expect: backtrace: fits
# expect: function and backtrace: fits
# expect: tracepoint: fits
# expect: array and function: fits
# expect: uprobes and names: fits
fits()
{
	file=$($STAP -p4 -r $RELEASE -e "$3") || exit 1
	size=$(stat -c %s "$file")
	if [ "$size" -le "$2" ]; then
		echo "$1: fits"
	else
		echo "$1: $size bytes, more than $2"
	fi
}
fits prints 19456 'probe begin { println("hi") exit() }'
fits backtrace 36864 'probe timer.profile { print_backtrace() }'
fits 'function and backtrace' 39936 'probe kernel.function("vfs_read") { print_backtrace() }'
fits tracepoint 43008 'probe kernel.trace("sched_switch") { printf("%d %d\n", $prev->pid, $next->pid) }'
fits 'array and function' 47104 'global a
	probe kernel.function("vfs_read") { a[execname()]++ }
	probe end { foreach (k in a- limit 10) printf("%s %d\n", k, a[k]) }'
fits 'uprobes and names' 77824 'probe process("/bin/bash").function("*alloc") { println(usymname(uaddr())) }'
