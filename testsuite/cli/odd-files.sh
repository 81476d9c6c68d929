# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts from a FIFO, with CRLF, with a byte order mark, with bytes that mean nothing; no HOME; a cache that cannot be
# written; output that cannot be written; a file of -d that is not there; ^C in any pass.
# expect: fifo: 0
# expect: crlf: 0 println("ab");
# expect: mark: 0
# expect: utf8: 1 t.stp:1:18
# expect: nul: 1 t.stp:1:17
# expect: no home: 0
# expect: no file of -d: 0, with -W 1, with -w 0
# expect: cache: 0
# expect: full: 1 stap: cannot write to standard output: No space left on device
# expect: closed: 1 stap: cannot write to standard output: Bad file descriptor
# expect: interrupted: nothing left
place()
{
	grep -o 't\.stp:[0-9]*:[0-9]*' err | head -n 1
}

mkfifo fifo
printf 'probe begin { exit() }' > fifo &
timeout 20 $STAP -p2 -r $RELEASE fifo > out
echo "fifo: $?"
printf 'probe begin {\r\n  println("a\\\r\nb")\r\n}\r\n' > t.stp
$STAP -p1 t.stp > out
echo "crlf: $? $(sed -n 's/^ *\(println.*\)/\1/p' out)"
printf '\357\273\277probe begin { exit() }\n' > t.stp
$STAP -p1 t.stp > out
echo "mark: $?"
printf 'probe begin { caf\303\251 = 1 }\n' > t.stp
$STAP -p1 t.stp > out 2> err
echo "utf8: $? $(place)"
printf 'probe begin { } \000\n' > t.stp
$STAP -p1 t.stp > out 2> err
echo "nul: $? $(place)"
env -u HOME $STAP -p2 -r $RELEASE -e 'probe begin { exit() }' > out
echo "no home: $?"
said=
for option in '' -W -w; do
	$STAP $option -d /nowhere/libx.so -d ext4 -d /bin/sh -p1 -e 'probe begin { exit() }' 2> err > out
	said="$said $? $(grep -c '/nowhere/libx.so: No such file' err)"
done
echo "no file of -d:$said" | sed 's/ 0 1 1 1 0 0$/ 0, with -W 1, with -w 0/'
SYSTEMTAP_DIR=/proc/nowhere $STAP -w -p3 -r $RELEASE -e 'probe kernel.function("vfs_read") { println($count) }' > out 2> err
echo "cache: $?"
$STAP -p2 -r $RELEASE -e 'probe begin { exit() }' 2> err > /dev/full
echo "full: $? $(cat err)"
$STAP -p2 -r $RELEASE -e 'probe begin { exit() }' 2> err >&-
echo "closed: $? $(cat err)"

mkdir tmp
export TMPDIR=$PWD/tmp
echo 'probe syscall.*, syscall.*.return, module("*").function("*a*") { println(pp()) }' > t.stp
for delay in 0.01 0.03 0.1 0.2 0.4 0.8; do
	timeout --foreground -s INT -k 10 $delay $STAP -w -p4 --disable-cache -m odd_files -r $RELEASE t.stp > out 2>&1
	status=$?
	case $status in
	0 | 1 | 124) ;;
	*) echo "interrupted after $delay: status $status" ;;
	esac
done
[ -z "$(ls tmp)" ] && echo 'interrupted: nothing left'
