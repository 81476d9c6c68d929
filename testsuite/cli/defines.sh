# SPDX-License-Identifier: GPL-2.0-or-later
# -D: values may be expressions; under -v each name that changes nothing has a word, one that is not known is a macro for C.
# stderr-re: ^-D MAPHASHBIAS changes nothing: .*$
# stderr-re: ^-D MINSTACKSPACE changes nothing: .*$
# stderr: -D MAXACTON is a macro for embedded C; did you mean MAXACTION?
# stderr: -D MY_OWN is a macro for embedded C
# stderr-lacks-re: -D MAXACTION |-D STP_NO_OVERLOAD
# stderr: semantic error: -D MAXERRORS: '10x' is not a number
# expect: .maxstringlen = 512
# expect: .maxaction = 4000
# expect: .overload_threshold = 0
# expect: .maxmemory = 2097152
# expect: .tables_wait_ms = 1500
# expect: .suppress_errors = 1
# expect: .suppress_time_limits = 1
# expect: .arg2 = 4096LL
# expect: 0
# expect: F -
# stderr: semantic error: -D HIST_ELISION: 'x' is not a number
# stderr: semantic error: -D STP_PROCFS_BUFSIZE: -1 is not between 1 and 1048576
# stderr: semantic error: -D MAXNESTING: 0 is too small: it begins at 1
# stderr: semantic error: -D MAXSTRINGLEN: 8 is not between 16 and 65536
# expect: status 1
script='probe begin { println(1) }'
$STAP -r $RELEASE -p3 -e "$script" -v -DMAPHASHBIAS=2 -D MINSTACKSPACE=1 -DMAXACTON=5 -DMY_OWN=x '-DMAXACTION=(1 + 3) * 1000' -DMAXACTION=4000 \
	'-DMAXSTRINGLEN=(1<<8)*2' -DSTP_NO_OVERLOAD '-DSTP_MAXMEMORY=2*1024UL' -DSTP_TABLES_WAIT=1500 -DSTAP_SUPPRESS_HANDLER_ERRORS > c || exit 1
for field in maxstringlen maxaction overload_threshold maxmemory tables_wait_ms suppress_errors; do grep -o "\.$field = [0-9-]*" c; done
$STAP -r $RELEASE -p3 -e "$script" -DSTAP_SUPPRESS_TIME_LIMITS_ENABLE > c || exit 1
grep -o "\.suppress_time_limits = [0-9-]*" c
procfs='probe procfs("a").read { $value = "x" } probe procfs("b").write { println($value) } probe procfs("c").read.maxsize(9) { $value = "y" }'
$STAP -r $RELEASE -p3 -e "$procfs" -DSTP_PROCFS_BUFSIZE=4096 | grep -o '\.arg2 = 4096LL'
user="probe process(\"$STAP\").function(\"main\") { exit() }"
$STAP -r $RELEASE -p3 -e "$user" | grep -c '"F - '
$STAP -r $RELEASE -p3 -e "$user" -DSTP_NO_BUILDID_CHECK | grep -o 'F - ' | sed 's/ $//'
$STAP -r $RELEASE -p3 -e "$script" -DHIST_ELISION=x > c
$STAP -r $RELEASE -p3 -e "$procfs" -DSTP_PROCFS_BUFSIZE=-1 > c
$STAP -r $RELEASE -p3 -e "$script" -DMAXERRORS=10x -DMAXNESTING=0 -DMAXSTRINGLEN=8 > c
echo "status $?"
