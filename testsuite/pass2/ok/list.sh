#!/bin/sh
# -l prints points once and sorted, aliases by name; where there are none the reason is told.
# expect: begin
# expect: end
# expect: mine.a
# expect: mine.b
# expect: mine.a.return
# expect: mine.c n:long
# expect:  $fd:unsigned int $buf:const char* $count:size_t
# expect: $p:struct task_struct*
# expect: .return
# expect: process.thread.begin
# expect: process.thread.end
set -e
unset SYSTEMTAP_DEBUGINFO_PATH
$STAP -r $RELEASE -l 'end, begin, begin'
$STAP -r $RELEASE -l 'mine.*' -E 'probe mine.b = end { } probe mine.a = begin { } probe mine.x = kernel.function("no_such_function") { }'
$STAP -r $RELEASE -l 'mine.*.return' -E 'probe mine.a = kernel.function("vfs_read") { }'
$STAP -r $RELEASE -L 'mine.c' -E 'probe mine.c = begin { n = 1; __own = 2 }'
if $STAP -r $RELEASE -l 'kernel.function("no_such_function")' 2> noise; then exit 1; fi
grep -q "no function 'no_such_function'" noise
$STAP -r $RELEASE -L 'nd_syscall.write' | grep -o ' [$]fd:.*'
$STAP -r $RELEASE -L 'kernel.trace("sched:sched_process_exit")' | grep -o '[$].*'
# wildcards stand for what --dump-probe-types lists, of libraries of programs too
$STAP -r $RELEASE -l 'process("/bin/sh").library("libc.so.6").function("malloc").r*' | grep -o '[.]return$'
$STAP -r $RELEASE -l 'process.thread.*'
$STAP --dump-probe-types > types
for point in 'process(NUMBER).library(STRING).plt(STRING).return' 'timer.us(NUMBER).randomize(NUMBER)' 'kernel.data(STRING).length(NUMBER).rw' never; do
	grep -qxF "$point" types
done
# a running kernel whose headers are not here has tracepoints, but no subsystems
if [ ! -e "/lib/modules/$(uname -r)/build" ] && $STAP -r "$(uname -r)" -l 'kernel.trace("sched_switch")' > /dev/null 2>&1; then
	if $STAP -r "$(uname -r)" -l 'kernel.trace("sched:sched_switch")' 2> noise; then exit 1; fi
	grep -q "help: leave 'sched:' out: kernel.trace(\"sched_switch\")" noise
fi
