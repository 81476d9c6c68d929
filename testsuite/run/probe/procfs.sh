# SPDX-License-Identifier: GPL-2.0-or-later
# procfs probes: several files and directories, reading and writing one file, long texts in small pieces, many readers
# at once, permissions, and no trace of them afterwards.
# expect: -r-------- command
# expect: -rw------- count
# expect: -r--r--r-- dir/sub/a
# expect: --w--w---- dir/sub/b
# expect: 0,
# expect: 42,
# expect: 1520 bytes
# expect: the same 9 times
# expect: by cat
# expect: 511 511 478
# expect: EIO
# expect: b wrote x by sh
# expect: gone
# expect: last is 478 long
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global n, last
probe begin { println("ready") }
probe procfs("count").read { $value = sprintf("%d", n); $value .= ","; if ($value != sprintf("%d,", n)) error("wrong value") }
probe procfs("count").write { n = strtol($value, 10); last = strlen($value) }
probe procfs.read.maxsize(2000) { for (i = 0; i < 90; i++) $value .= sprintf("line %d ........\n", i) }
probe procfs("dir/sub/a").umask(0).read { $value = "by " . execname() . "\n" }
probe procfs("dir/sub/b").umask(0006).write { printf("b wrote %s by %s\n", $value, execname()) }
probe end { printf("last is %d long\n", last) }
END
cat > run.sh <<END
$STAPRUN $(module script.stp -m procfs_test) > out 2>&1 &
loader=\$!
while ! grep -q ready out; do sleep 0.1; done
cd /proc/systemtap/procfs_test
while ! test -e dir/sub/b; do sleep 0.1; done
stat -c '%A %n' command count dir/sub/a dir/sub/b
cat count; echo; echo 42 > count; cat count; echo
echo \$(wc -c < command) bytes
for i in 1 2 3 4 5 6 7 8; do dd if=command bs=7 2> /dev/null | md5sum & pids="\$pids \$!"; done > /tmp/sums
wait \$pids
cat command | md5sum >> /tmp/sums
echo the same \$(uniq -c /tmp/sums | awk '{ print \$1 }') times
cat dir/sub/a
head -c 1500 /dev/zero | tr '\\\\0' 7 > /tmp/long
strace -e trace=write -o /tmp/trace dd if=/tmp/long of=count bs=1500 2> /dev/null
echo \$(sed -n 's/^write(1.* = //p' /tmp/trace)
printf x > dir/sub/b
exec 5< dir/sub/a
kill \$loader; wait \$loader
cat <&5 2>&1 | sed 's/.*Input.output error/EIO/'
grep ^b \$OLDPWD/out
test -e /proc/systemtap || echo gone
grep last \$OLDPWD/out
END
$GUEST sh run.sh
