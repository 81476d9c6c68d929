# SPDX-License-Identifier: GPL-2.0-or-later
# kprobe.statement(ADDRESS).absolute probes the very address.
# expect: 100
. "$TOP/testsuite/lib/script.sh"
trigger calls
address=$($GUEST sed -n 's/^\([0-9a-f]*\) T __x64_sys_getpgid$/0x\1/p' /proc/kallsyms)
cat > script.stp <<END
global n
probe kprobe.statement($address).absolute { if (pid() == target()) n++ }
probe end { println(n) }
END
$GUEST $STAPRUN -c './calls 1 100' $(module -g script.stp)
