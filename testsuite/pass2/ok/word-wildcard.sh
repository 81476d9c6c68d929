#!/bin/sh
# Wildcards over the built-in words of probe points.
# expect: end
# expect: error
# expect: timer.profile
# expect: kernel.function("vfs_read").call
# expect: kernel.function("vfs_read").return
# expect: # probes
# expect: kernel.function("vfs_read").return /* <- kernel.function("vfs_read").r* */
set -e
$STAP -r $RELEASE -l 'e*'
$STAP -r $RELEASE -l 'timer.*'
$STAP -r $RELEASE -l 'kernel.function("vfs_read").*'
$STAP -r $RELEASE -p2 -e 'probe kernel.function("vfs_read").r* { println(1) }'
