# SPDX-License-Identifier: GPL-2.0-or-later
# kernel.kptr_restrict=2 hides the kernel's addresses from root as well: probes find their functions all the same, in the kernel and in
# modules, and the setting is what it was.  Where it can not be changed, the message says what to do.
# expect: hidden from root: 0000000000000000 0x0000000000000000
# expect: probed
# expect: the setting is 2
# expect: ERROR: the kernel hides its addresses; `sysctl kernel.kptr_restrict=1' shows them to root alone
# expect: 1
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global kernel, module
probe kernel.function("vfs_read") { kernel++ }
probe module("9p").function("v9fs_file_*") ?, module("9p").statement("v9fs_file_open") ? { module++ }
probe end { println(kernel && module ? "probed" : sprintf("%d %d hits", kernel, module)) }
END
ko=$(module script.stp)
cat > run.sh <<END
was=\$(cat /proc/sys/kernel/kptr_restrict)
trap 'echo \$was > /proc/sys/kernel/kptr_restrict' EXIT
echo 2 > /proc/sys/kernel/kptr_restrict
echo hidden from root: \$(awk '\$3 == "vfs_read" { print \$1 }' /proc/kallsyms) \$(cat /sys/module/9p/sections/.text)
$STAPRUN -c "cat /etc/hostname /usr/share/dict/README" $ko 2> /dev/null | grep -x probed
echo the setting is \$(cat /proc/sys/kernel/kptr_restrict)
unshare -m sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && $STAPRUN $ko; echo \$?' 2>&1
END
$GUEST sh run.sh
modules_left
