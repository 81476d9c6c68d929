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
