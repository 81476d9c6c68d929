# SPDX-License-Identifier: GPL-2.0-or-later
# What can not be probed is left out, by name and with the reason, and the rest runs: debuginfo of another build of a
# module, loaded before or later, a function the kernel protects.
# timeout: 120
# stderr-re: WARNING: the debuginfo of module stap_target is of another build: its build id is [0-9a-f]{40}, that of the running module is [0-9a-f]{40}; the probes that rest on it are left out
# stderr-re: WARNING: module stap_target is of another build \([0-9a-f]{40} is what its debuginfo is of\): probes that rest on it are left out
# stderr: WARNING: module stap_target is not loaded: its probes begin when it is
# stderr-re: WARNING: probe kprobe.function\("exc_int3"\) at 0x[0-9a-f]* could not be attached: the kernel forbids probes there \(error -22\)
# expect: ids differ
# expect: other build, before: by name 2 by debuginfo 0
# expect: other build, later: by name 2 by debuginfo 0
# expect: same build: by name 2 by debuginfo 2 protected 0
. $TOP/testsuite/lib/script.sh
target stap_target -fno-ipa-cp
mv stap_target.ko other.ko
target stap_target
test "`readelf -n other.ko | grep Build`" != "`readelf -n stap_target.ko | grep Build`" && echo ids differ
m="module(\"$PWD/stap_target.ko\")"
cat > other.stp <<END
global by_name, by_debuginfo
probe kprobe.module("stap_target").function("target_first") { by_name++ }
probe $m.statement("target_second@main.c:42") { by_debuginfo++ }
probe end { printf("by name %d by debuginfo %d\n", by_name, by_debuginfo) }
END
cat > same.stp <<END
global by_name, by_debuginfo, protected
probe kprobe.module("stap_target").function("target_first") { by_name++ }
probe $m.statement("target_second@main.c:42") { by_debuginfo++ }
probe kprobe.function("exc_int3") { protected++ }
probe end { printf("by name %d by debuginfo %d protected %d\n", by_name, by_debuginfo, protected) }
END
module other.stp -m other_probes > /dev/null
module same.stp -m same_probes > /dev/null
run="sh -c 'echo 2 > /proc/stap_target'"
$GUEST sh -c "cd $PWD; insmod other.ko; $STAPRUN other_probes.ko -c \"$run\"; rmmod stap_target" | sed 's/^/other build, before: /'
$GUEST sh -c "cd $PWD; $STAPRUN other_probes.ko -c \"sh -c 'insmod other.ko; echo 2 > /proc/stap_target; rmmod stap_target'\"" | sed 's/^/other build, later: /'
$GUEST sh -c "cd $PWD; insmod stap_target.ko; $STAPRUN same_probes.ko -c \"$run\"; rmmod stap_target" | sed 's/^/same build: /'
