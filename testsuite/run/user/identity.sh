# SPDX-License-Identifier: GPL-2.0-or-later
# A program is its inode, whatever its path: a symbolic link, a hard link, a bind mount, an overlay, another mount namespace, a changed root, a file that
# is deleted by now; and a copy is another one.  The command of -c is
# target() in whatever pid namespace the loader runs.
# expect: began 7, in main 6, code mapped 7, elsewhere 0
# expect: began: target
# expect: main: target
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
# All on a file system of its own: the guest's root is an overlay, where a hard link is a copy.
cat > run.sh <<'END2'
D=/tmp/identity
mkdir -p $D && mount -t tmpfs identity $D && mkdir -p $D/bin $D/bound $D/u $D/w $D/m $D/away || exit 1
cp tasks $D/bin/tasks
mount --bind $D/bin/tasks $PWD/tasks
ln $D/bin/tasks $D/gone
$D/gone -1 & running=$!
until grep -q gone /proc/$running/comm; do sleep 0.05; done
rm $D/gone
cat > $D/all <<'END3'
D=/tmp/identity
ln -s $D/bin/tasks $D/link; $D/link 0
ln $D/bin/tasks $D/hard; $D/hard 0
mount --bind $D/bin $D/bound; $D/bound/tasks 0
mount -t overlay -o lowerdir=$D/bin,upperdir=$D/u,workdir=$D/w o $D/m; $D/m/tasks 0
unshare -m sh -c "mount -t tmpfs t $D/away; mkdir $D/away/x; mount --bind $D/bin $D/away/x; $D/away/x/tasks 0"
chroot $D/bin /tasks 0
cp $D/bin/tasks $D/copy; $D/copy 0
END3
sh $TOP/testsuite/lib/live.sh ". $D/all" "$@"
kill $running
umount $D/m $D/bound $PWD/tasks; umount -l $D
END2
file=$(module who.stp)
$GUEST sh -c "TOP=$TOP; . ./run.sh" x $STAPRUN $file 2> errors; grep -v Terminated errors >&2 || true
cat > target.stp <<'END2'
probe process("./tasks").begin { println("began: ", pid() == target() ? "target" : "another") }
probe process("./tasks").function("main") { println("main: ", target_set_pid(pid()) ? "target" : "another") }
END2
$GUEST unshare -fp $STAPRUN -c "./tasks 0" $(module target.stp)
