#!/bin/sh
# A library of others below XDG_DATA_DIRS: embedded C, macros, probes of its own, and broken parts that nobody needs.
# has-re: foreign_pid:long \(\)
# has-re: kernel.function\("vfs_read"\).call /\* <- foreign.op \*/
# has-re: begin\(-1\)
# has-re: __table:long \[long\]
# has-re: kernel.function\("vfs_read"\).call /\* <- foreign.\* \*/
# lacks-re: .*never_here.*
# stderr-re: semantic error: no probe point matches 'foreign.bad'
set -e
dir=data/systemtap/tapset
mkdir -p $dir/linux
cat > $dir/foreign.stp <<'END'
%{
#include <linux/sched.h>
%}
global foreign_n = 3
private global __table%
function foreign_pid:long () %{ /* pure */ /* unprivileged */
	STAP_RETVALUE = current->pid;
%}
function foreign_table(n) { return __table[n] }
probe foreign.op = kernel.function("vfs_read").call, kernel.function("no_such_fn") ?
{
	name = "read"
	twice = @foreign_twice(foreign_n)
}
probe begin(-1) { __table[1] = 2 }
probe begin(-2) { never_here = 2 }
%( systemtap_v >= "4.0" %? function foreign_new() { return 1 } %: function foreign_old() { return 1 } %)
END
cat > $dir/foreign.stpm <<'END'
@define foreign_twice(x) %( (@x * 2) %)
@define foreign_broken(x) %( (@x * 2
END
cat > $dir/broken.stp <<'END'
function foreign_broken( {
probe foreign.bad = { % }
END
export XDG_DATA_DIRS=$PWD/data
$STAP -r $RELEASE -p2 -e 'probe foreign.op { println(name, twice, foreign_pid(), foreign_table(1), foreign_new()) }'
$STAP -r $RELEASE -p2 -e 'probe foreign.* { println(name) }'
if $STAP -r $RELEASE -p2 -e 'probe foreign.bad { println(1) }'; then exit 1; fi
