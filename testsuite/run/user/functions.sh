# SPDX-License-Identifier: GPL-2.0-or-later
# Functions by the ELF tables alone: entry and return, arguments and results by position, wildcards, recursion,
# children of the target and others; dynamic, static and stripped programs.
# expect: dynamic: work 76
# expect: leaf 0 0
# expect: words some words
# expect: leaf -1 1
# expect: leaf -2 2
# expect: eight 1 6 7 8
# expect: dynamic: leaf 3/3 -6, nested 4/4 6, words 3, static function 3, sum of eight 36, ppid 1
# expect: static: work 76
# expect: leaf 0 0
# expect: words some words
# expect: leaf -1 1
# expect: leaf -2 2
# expect: eight 1 6 7 8
# expect: static: leaf 3/3 -6, nested 4/4 6, words 3, static function 3, sum of eight 36, ppid 1
# expect: stripped: work 76
# expect: exported 3 4
# expect: work 76
# expect: in the target's tree 9, of others 0
# expect: everywhere 12
. "$TOP/testsuite/lib/script.sh"
build() { cc -O2 -Wall -o "$@" "$TOP/testsuite/triggers/user.c"; }
build dynamic
build static -static
build stripped -rdynamic -s
cat > script.stp <<'END'
global leaf, leaf_sum, leaf_returns, nested, nested_returns, nested_max, words, hidden, eight, ppid
probe process(@1).function("leaf") { leaf++; printf("%s %d %d\n", ppfunc(), int_arg(1), uint_arg(2)) }
probe process(@1).function("leaf").return { leaf_returns++; leaf_sum += int_arg_of(returnval()) }
probe process(@1).function("nest*") { nested++ }
probe process(@1).function("nested").return { nested_returns++; if (returnval() > nested_max) nested_max = returnval() }
probe process(@1).function("words").call { if (!words++) printf("%s %s\n", probefunc(), user_string(pointer_arg(1))) }
probe process(@1).function("hidden*") { hidden++ }
probe process(@1).function("eight") { printf("eight %d %d %d %d\n", long_arg(1), long_arg(6), longlong_arg(7), u64_arg(8)) }
probe process(@1).function("eight").return { eight = returnval() }
%( @1 == "./dynamic" %? probe process(@1).plt("getppid").return { ppid++ } %: probe begin { ppid = 1 } %)
function int_arg_of(v) { return v << 32 >> 32 }
probe end { printf("%s leaf %d/%d %d, nested %d/%d %d, words %d, static function %d, sum of eight %d, ppid %d\n",
	@2, leaf, leaf_returns, leaf_sum, nested, nested_returns, nested_max, words, hidden, eight, ppid) }
END
for kind in dynamic static; do
	$GUEST $STAPRUN -o /tmp/out -c "./$kind 3" $(module script.stp ./$kind $kind:) | sed "s/^/$kind: /"
	$GUEST cat /tmp/out
done
cat > stripped.stp <<'END'
global leaf, nested
probe process("./stripped").function("leaf") { leaf++ }
probe process("./stripped").function("nested").exported { nested++ }
probe end { println("exported ", leaf, " ", nested) }
END
$GUEST $STAPRUN -o /tmp/out -c './stripped 3' $(module stripped.stp) | sed 's/^/stripped: /'
$GUEST cat /tmp/out
# With a target, probes of programs are for it and its descendants; without, for everybody.
cat > tree.stp <<'END'
global mine, others
probe process("./dynamic").function("leaf") { if (target_set_pid(pid())) mine++; else others++ }
global said
probe timer.ms(50) { if (!target() && !said++) println("ready") }
probe end { if (target()) printf("in the target's tree %d, of others %d\n", mine, others); else printf("everywhere %d\n", mine + others) }
END
file=$(module tree.stp)
$GUEST sh -c "(for i in 1 2 3 4 5 6 7 8; do ./dynamic 1 3 > /dev/null; sleep 0.1; done) & $STAPRUN -c './dynamic 3 2' $file; wait"
$GUEST sh $TOP/testsuite/lib/live.sh './dynamic 3 3 > /dev/null' $STAPRUN $file
