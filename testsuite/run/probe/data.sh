# SPDX-License-Identifier: GPL-2.0-or-later
# Watchpoints on four variables (the emulator notices one for an address only), on a CPU that was off meanwhile as well: each write of a variable, each access, part of it, by address; what can not be watched is named.
# expect: writes 3, all 5, low byte 4, by address 3
# expect: in proc, print_fatal_signals is 7
# stderr: WARNING: variable stap_no_such is not in the running kernel's symbols, or is one for each CPU: not watched
. "$TOP/testsuite/lib/script.sh"
address=$($GUEST sed -n 's/^\([0-9a-f]*\) [BbDdTt] print_fatal_signals$/0x\1/p' /proc/kallsyms)
cat > script.stp <<END
global writes, all, low, there, where, there_is
probe kernel.data("panic_timeout").write { writes++; where = symname(addr()) }
probe kernel.data("panic_on_oops").rw { all++ }
probe kernel.data("unknown_nmi_panic").length(1).write { low++ }
probe kernel.data($address).length(4).write { there++; there_is = @cast($address, "int")[0] }
probe kernel.data("stap_no_such").write ? { error("never") }
probe end {
	printf("writes %d, all %d, low byte %d, by address %d\n", writes, all, low, there)
	printf("%s, print_fatal_signals is %d\n", where =~ "proc|dointvec" ? "in proc" : where, there_is)
}
END
cat > missing.stp <<'END'
probe kernel.data("stap_no_such").write { exit() }
probe timer.ms(10) { exit() }
END
cat > command.sh <<'END'
cd /proc/sys/kernel
for n in 5 6 7; do
	if [ $n = 6 ]; then
		echo 0 > /sys/devices/system/cpu/cpu1/online
		echo 1 > /sys/devices/system/cpu/cpu1/online
		sleep 0.3
		taskset -pc 1 $$ > /dev/null
	fi
	for file in panic panic_on_oops unknown_nmi_panic print-fatal-signals; do echo $n > $file; done
done
echo 0 > unknown_nmi_panic
cat panic panic_on_oops panic_on_oops unknown_nmi_panic > /dev/null
END
$GUEST $STAPRUN -c "sh command.sh" $(module script.stp)
$GUEST $STAPRUN $(module missing.stp)
