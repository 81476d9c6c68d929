#!/bin/sh
# -l prints points once and sorted, aliases by name; nothing and a failure where there are none.
# expect: begin
# expect: end
# expect: mine.a
# expect: mine.b
# expect: mine.a.return
# expect: mine.c n:long
set -e
$STAP -r $RELEASE -l 'end, begin, begin'
$STAP -r $RELEASE -l 'mine.*' -E 'probe mine.b = end { } probe mine.a = begin { } probe mine.x = kernel.function("no_such_function") { }'
$STAP -r $RELEASE -l 'mine.*.return' -E 'probe mine.a = kernel.function("vfs_read") { }'
$STAP -r $RELEASE -L 'mine.c' -E 'probe mine.c = begin { n = 1; __own = 2 }'
if $STAP -r $RELEASE -l 'kernel.function("no_such_function")' 2> noise; then exit 1; fi
test ! -s noise
