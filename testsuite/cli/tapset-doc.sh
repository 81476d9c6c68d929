# doc/tapset.md is what the library's comments say.
export LC_ALL=C
cd "$TOP" || exit 1
scripts/tapset-doc tapsets/*.stp > "$OLDPWD/tapset.md" || exit 1
if ! cmp -s "$OLDPWD/tapset.md" doc/tapset.md; then
	echo "doc/tapset.md is not up to date: scripts/tapset-doc tapsets/*.stp > doc/tapset.md"
	exit 1
fi
# and it has what people look for
for name in vfs.read tcp.sendmsg.return scheduler.cpu_on syscall.open kprocess.exec lsm.socket_bind nfs.fop.write_iter; do
	grep -q "\`$name\`" doc/tapset.md || { echo "$name is not in doc/tapset.md"; exit 1; }
done
for name in user_string pid task_backtrace 'target_set_pid' json_add_array; do
	grep -q "| \`$name[:(]" doc/tapset.md || { echo "$name() is not in doc/tapset.md"; exit 1; }
done
