#!/bin/sh
# Wildcards over the built-in words of probe points; words with an argument are listed as they are documented, and never probed.
# expect: end
# expect: end(NUMBER)
# expect: error
# expect: error(NUMBER)
# expect: kernel.function(NUMBER)
# expect: kernel.function(STRING)
# expect: timer.profile
# expect: tcpmib.
# expect: hidden 0
# expect: kernel.function("vfs_read").call
# expect: kernel.function("vfs_read").callee(STRING)
# expect: kernel.function("vfs_read").callees(NUMBER)
# expect: kernel.function("vfs_read").return
# expect: # probes
# expect: timer.profile /* <- timer.* */
# expect: # probes
# expect: kernel.function("vfs_read").return /* <- kernel.function("vfs_read").r* */
set -e
unset SYSTEMTAP_DEBUGINFO_PATH
$STAP -r $RELEASE -l 'e*'
$STAP -r $RELEASE -l 'kernel.*' | grep function
$STAP -r $RELEASE -l 'timer.*' | grep -v '('
$STAP -r $RELEASE -l '*.*' > all
grep -o '^tcpmib\.' all | uniq
echo "hidden $(grep -c '^_' all)"
$STAP -r $RELEASE -l 'kernel.function("vfs_read").c*'
$STAP -r $RELEASE -l 'kernel.function("vfs_read").r*'
$STAP -r $RELEASE -p2 -e 'probe timer.* { println(1) }'
$STAP -r $RELEASE -p2 -e 'probe kernel.function("vfs_read").r* { println(1) }'
