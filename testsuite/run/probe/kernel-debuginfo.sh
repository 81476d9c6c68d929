# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's debug information, wherever the kernel was loaded: local functions of one name told apart by their files, and
# a statement with a local variable.  Where those functions are, /proc/kallsyms says; which of them runs, the file that is read.
# needs-debuginfo: yes
# timeout: 120
# expect: moved by a random distance
# expect: maps: of maps 1 returned 1, of mounts 0
# expect: mounts: of maps 0 returned 0, of mounts 1
# expect: 2 different ones that /proc/kallsyms has
# expect: the last line of vfs_read that has $ret: 2 times, 77
# expect: a wildcard that the kernel refuses everywhere: 1 warning, and none where the script says so
. $TOP/testsuite/lib/script.sh
cat > twins.stp <<'END'
global hits, where, files
probe kernel.function("m_start@fs/proc/task_mmu.c") { hits[pid(), "maps"]++; where["maps"] = addr() }
probe kernel.function("m_start@fs/proc/task_mmu.c").return { hits[pid(), "returned"]++ }
probe kernel.function("m_start@fs/namespace.c") { hits[pid(), "mounts"]++; where["mounts"] = addr() }
probe process("/bin/cat").end {
	printf("%s: of maps %d returned %d, of mounts %d\n", files++ ? "mounts" : "maps", hits[pid(), "maps"] > 0,
		hits[pid(), "returned"] > 0, hits[pid(), "mounts"] > 0)
}
probe end { printf("%x\n%x\n", where["maps"], where["mounts"]) }
END
line=`$STAP -r $RELEASE -L 'kernel.statement("vfs_read@fs/read_write.c:*")' | sed -n 's/.*read_write.c:\([0-9]*\)").* \$ret:.*/\1/p' | tail -1`
cat > line.stp <<END
global n, value
probe kernel.statement("vfs_read@fs/read_write.c:$line") { if (pid() == target() && \$ret == 77) { n++; value = \$ret } }
probe end { printf("the last line of vfs_read that has \$ret: %d times, %d\n", n, value) }
END
twins=`module twins.stp` line=`module line.stp`
$GUEST grep -w _stext /proc/kallsyms > stext
test "`cut -d' ' -f1 stext`" != ffffffff81000000 && echo moved by a random distance
$GUEST $STAPRUN -c 'sh -c "cat /proc/self/maps > /dev/null; cat /proc/self/mounts > /dev/null"' $twins > twins
grep : twins
$GUEST grep -w m_start /proc/kallsyms > known
echo `grep '^f' twins | sort -u | grep -c -f - known` different ones that /proc/kallsyms has
$GUEST $STAPRUN -c 'dd if=/dev/zero of=/dev/null bs=77 count=2 status=none' $line
for mark in '' '?'; do
	echo "global n probe kernel.statement(\"kprobe_int3_handler*@arch/x86/kernel/kprobes/core.c:*\")$mark { n++ }" > none.stp
	$GUEST $STAPRUN -c true `module none.stp` > none 2> none.err
	[ -z "$mark" ] || mv none.err none.optional
	[ -n "$mark" ] || mv none.err none.first
done
echo "a wildcard that the kernel refuses everywhere: `grep -c '^WARNING: none of the [0-9]* places of a wildcard' none.first` warning, and none where the script says so"
cat none.optional
