# SPDX-License-Identifier: GPL-2.0-or-later
# Points of a module with debuginfo: what is listed, and what is wrong said in words, with what is near.
# timeout: 120
# expect: module("stap_target").function("target_twin@main.c:16") $value:int
# expect: module("stap_target").function("target_twin@other.c:7") $value:int
# expect: module("stap_target").function("target_inlined@main.c:22").inline
# expect: module("stap_target").function("run_all").callee("target_other@other.c:13")
# expect: module("stap_target").statement("target_second@main.c:42")
# expect: module("stap_target").statement("target_second@main.c:43")
# expect: module("stap_target").function("target_other@other.c:13")
# expect: semantic error: there is no code at line 44 of main.c
# expect: help: the nearest lines with code are 43 and 45; .nearest takes the nearest by itself
# expect: semantic error: no source file of stap_target matches 'none.c'
# expect: semantic error: no function of stap_target matches 'target_none' in main.c
# expect: semantic error: no label of stap_target matches 'positive' in target_second
# expect: semantic error: an inlined instance has no return of its own
# expect: semantic error: no function of stap_target has the address 0xffff
# expect: semantic error: in 'target_second@main.c:9-3': the range ends before it begins
# expect: semantic error: address A is inside an instruction
# expect: help: the nearest instructions begin at B and C
# expect: as objdump has them
. $TOP/testsuite/lib/script.sh
target stap_target
m="module(\"$PWD/stap_target.ko\")"
short() { sed "s|@$PWD/src-stap_target/|@|"; }
list() { $STAP -r $RELEASE "$1" "$m.$2" | short; }
wrong() { $STAP -r $RELEASE -p2 -e "probe $m.$1 { println(1) }" 2>&1 | sed -n 's/^  help/help/; /^semantic error\|^help/p'; }
list -L 'function("target_twin")'
list -l 'function("target_inlined").inline'
list -l 'function("run_all").callee("target_o*")'
list -l 'statement("target_second@main.c:42-43")'
list -l "function($((0x`nm stap_target.ko | sed -n 's/ T target_other$//p'` + 2)))"
wrong 'statement("target_second@main.c:44")'
wrong 'statement("*@none.c:3")'
wrong 'statement("target_none@main.c:42")'
wrong 'function("target_second").label("positive")'
wrong 'function("target_second").inline.return'
wrong 'function(0xffff)'
wrong 'statement("target_second@main.c:9-3")'
# the second instruction and on, one of more than two bytes: an address in it, where it begins and ends
objdump -d --no-show-raw-insn --section=.text stap_target.ko |
	sed -n '/<target_second>:/,/^$/s/^ *\([0-9a-f]*\):\t.*/\1/p' > starts
{ read last; while read at; do
	test $((0x$at - 0x$last)) -gt 2 && { printf '0x%x 0x%x 0x%x\n' $((0x$last + 1)) 0x$last 0x$at; break; }
	last=$at
done; } < starts > places
wrong "statement(`cut -d' ' -f1 places`)" > inside
sed 's/address 0x[0-9a-f]* is inside/address A is inside/; s/begin at 0x[0-9a-f]* and 0x[0-9a-f]*/begin at B and C/' inside
grep -q "begin at `cut -d' ' -f2 places` and `cut -d' ' -f3 places`$" inside && echo as objdump has them
