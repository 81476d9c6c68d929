# SPDX-License-Identifier: GPL-2.0-or-later
# A program is its inode, whatever its path: a symbolic link, a hard link, a bind mount, an overlay, another mount namespace, a changed root, a file that
# is deleted by now; and a copy is another one.
# expect: began 7, in main 6, code mapped 7, elsewhere 0
. "$TOP/testsuite/lib/script.sh"
cc -O2 -Wall -static -pthread -g -o tasks "$TOP/testsuite/triggers/tasks.c" || exit 1
cat > who.stp <<'END2'
global began, mains, maps, other, said
probe process("./tasks").begin { began++; if (execname() == "copy") other++ }
probe process("./tasks").function("main") { mains++ }
probe process("./tasks").vma.map { if ($flags & 4 && $inode) maps++ }
probe timer.ms(50) { if (began && maps && !said++) println("ready") }
probe end { printf("began %d, in main %d, code mapped %d, elsewhere %d\n", began, mains, maps, other) }
END2
cat > run.sh <<'END2'
mkdir -p /tmp/d /tmp/bound /tmp/o/u /tmp/o/w /tmp/o/m /tmp/away
cp tasks /tmp/d/tasks
mount --bind /tmp/d/tasks $PWD/tasks
ln /tmp/d/tasks /tmp/d/gone
/tmp/d/gone -1 & running=$!
sleep 0.3
rm /tmp/d/gone
cat > /tmp/all <<'END3'
ln -s /tmp/d/tasks /tmp/link; /tmp/link 0
ln /tmp/d/tasks /tmp/d/hard; /tmp/d/hard 0
mount --bind /tmp/d /tmp/bound; /tmp/bound/tasks 0
mount -t overlay -o lowerdir=/tmp/d,upperdir=/tmp/o/u,workdir=/tmp/o/w o /tmp/o/m; /tmp/o/m/tasks 0
unshare -m sh -c "mount -t tmpfs t /tmp/away; mkdir /tmp/away/x; mount --bind /tmp/d /tmp/away/x; /tmp/away/x/tasks 0"
chroot /tmp/d /tasks 0
cp /tmp/d/tasks /tmp/d/copy; /tmp/d/copy 0
END3
sh $TOP/testsuite/lib/live.sh '. /tmp/all' "$@"
kill $running
umount /tmp/o/m /tmp/bound $PWD/tasks
END2
file=$(module who.stp)
$GUEST sh -c "TOP=$TOP; . ./run.sh" x $STAPRUN $file 2> errors; grep -v Terminated errors >&2
