# SPDX-License-Identifier: GPL-2.0-or-later
# Performance events of the kernel: on all CPUs, of a program (its threads and children, not others), of target(); a counter; on a CPU that was off;
# the processor's events where nobody counts them.
# expect: faults of the pages: all 1, program 1, target 1, other 0
# expect: read at exit: all of them
# expect: clock 1, 50 a second 1
# expect: switches 1
# expect: on a CPU that came back 1
# stderr-re: WARNING: probe perf\.type\(0\)\.config\(0\)\.sample\(1000000\) could not be attached: this machine does not count such events .*
. "$TOP/testsuite/lib/script.sh"
trigger pages
cat > script.stp <<END
global all, program, target_, other, clock, hz, switches, counted, so_far, start, back, came_back
probe begin { start = gettimeofday_ms() }
probe perf.sw.page_faults.sample(1) { if (execname() == "pages") all++ }
probe perf.sw.page_faults.sample(1).process("$PWD/pages") { program++ }
probe perf.sw.page_faults.sample(1).process { target_++ }
probe perf.sw.page_faults.sample(1).process("/bin/true") { other++ }
probe perf.sw.page_faults.process("$PWD/pages").counter("faults") {}
probe perf.sw.cpu_clock.sample(1000000) { clock++; if (!user_mode() && addr() >= 0) error("where?") }
probe perf.sw.cpu_clock.hz(50) { hz++; if (back && cpu() == 1) came_back++ }
probe perf.type(1).config(3).sample(1) { switches++ }
probe perf.type(0).config(0).sample(1000000) { error("no such event") }
probe syscall.exit_group { if (execname() == "uname") back = 1; if (execname() == "pages") { counted = @perf("faults"); so_far = program } }
probe end {
	printf("faults of the pages: all %d, program %d, target %d, other %d\n", all >= 300, program >= 300 && program <= all, target_ >= 300, other)
	printf("read at exit: %s\n", counted == so_far && counted >= 300 ? "all of them" : sprintf("%d, not %d", counted, so_far))
	seconds = (gettimeofday_ms() - start) / 1000 + 1
	printf("clock %d, 50 a second %d\n", clock >= 100, hz >= 10 && hz <= seconds * 50 * 4)
	printf("switches %d\n", switches > 10)
	printf("on a CPU that came back %d\n", came_back > 3)
}
END
cat > command.sh <<END
./pages 300 2> /dev/null
echo 0 > /sys/devices/system/cpu/cpu1/online
echo 1 > /sys/devices/system/cpu/cpu1/online
uname > /dev/null
sleep 0.5
END
cat > fast.stp <<'END'
probe perf.type(0).config(0).sample(1000000) { println("x") }
probe timer.ms(10) { exit() }
END
sed -i '/config(0)/d' script.stp
$GUEST $STAPRUN -c "sh command.sh" $(module script.stp) 2> errors | grep -v '^$'
cat errors
$GUEST $STAPRUN $(module fast.stp)
