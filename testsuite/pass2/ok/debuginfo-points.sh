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
# expect: 9 spellings of a file: target_twin@main.c:16
# expect: module("stap_target").function("target_second").callee("target_inlined@main.c:22")
# expect: module("stap_target").function("target_second").callee("target_twin@main.c:16")
# expect: callees(2) of run_all: 6 called by it, target_twin of each file once
# expect: module("stap_target").function("target_sum@main.c:71").exported
# expect: module("stap_target").function("target_second@main.c:36")
# expect: module("stap_target").function("target_tail_end@main.c:60")
# expect: module("stap_target").statement("target_second@main.c:45").nearest
# expect: module("stap_target").function("target_weak@main.c:143")
# expect: alias: the address that nm has
# expect: target_constant of a copy: pc=target_constant.constprop.0+0x0 $value:int $by:int
# expect: lines as binutils has them: target_second
# expect: lines as binutils has them: target_sum
# expect: lines as binutils has them: run_all
# expect: semantic error: there is no code of target_second at line 44 of main.c
# expect: help: the nearest line with code in target_second is 45; .nearest takes it by itself
# expect: semantic error: there is no code at line 44 of main.c
# expect: help: the nearest lines with code are 43 and 45; .nearest takes the nearest by itself
# expect: semantic error: no source file of stap_target matches 'none.c'
# expect: semantic error: no function of stap_target matches 'nothing_alike' in main.c
# expect: semantic error: no function of stap_target matches 'target_tial' in main.c
# expect: help: did you mean 'target_tail'?
# expect: semantic error: no function of stap_target matches 'target_tial' in main.c
# expect: help: did you mean 'target_tail'?
# expect: semantic error: no function of stap_target matches 'target_t*' in none.c
# expect: help: no source file of stap_target matches 'none.c'
# expect: semantic error: no function of stap_target matches 'target_other' in main.c
# expect: help: there is target_other@other.c:13
# expect: semantic error: no function of stap_target matches 'target_other' in other.c at line 99
# expect: help: there is target_other@other.c:13
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
short() { sed "s|@$PWD/src-stap_target/|@|; s| $PWD/src-stap_target/| |"; }
list() { $STAP -r $RELEASE "$1" "$m.$2" | short; }
wrong() { $STAP -r $RELEASE -p2 -e "probe $m.$1 { println(1) }" 2>&1 | sed -n 's/^  help/help/; /^semantic error\|^help/p'; }
list -L 'function("target_twin")'
list -l 'function("target_inlined").inline'
list -l 'function("run_all").callee("target_o*")'
list -l 'statement("target_second@main.c:42-43")'
list -l "function($((0x`nm stap_target.ko | sed -n 's/ T target_other$//p'` + 2)))"
ln -s src-stap_target linked
for f in main.c ./main.c src-stap_target/main.c src-stap_target/../src-stap_target/main.c $PWD/src-stap_target/main.c $PWD/./linked/../src-stap_target/main.c \
	$PWD/linked/main.c linked/main.c '*/mai?.c'; do list -l "function(\"target_twin@$f\")"; done | sort | uniq -c | sed 's/^ *\([0-9]*\) .*(\"\(.*\)\").*/\1 spellings of a file: \2/'
list -l 'function("target_second").callees'
list -l 'function("run_all").callees(2)' > callees
echo "callees(2) of run_all: `grep -c '"run_all").*target_' callees` called by it, `test $(grep -c 'target_twin@main.c' callees)$(grep -c 'target_twin@other.c' callees) = 11 && echo target_twin of each file once`"
list -l 'function("target_s*").exported'
list -l 'function("*@main.c:3,42,60-61")'
list -l 'statement("target_second@main.c:44").nearest'
list -l 'function("target_weak")'
$STAP -r $RELEASE -v -l "$m.function(\"target_alias\")" | grep -q 'pc=target_\(elsewhere\|alias\)+0x0 ' &&
	test "`nm stap_target.ko | grep -c ' target_\(elsewhere\|alias\)$'`" = 2 && echo alias: the address that nm has
echo "target_constant of a copy: $($STAP -r $RELEASE -v -L "$m.function(\"target_constant\")" | sed 's/^[^ ]* .. \(pc=[^ ]*\) .. /\1 /')"
# every statement of a function is a row of the line table, as binutils reads it
objdump --dwarf=decodedline stap_target.ko 2> /dev/null | sed -n 's/^main.c  *\([0-9]*\)  *\(0x[0-9a-f]*\) .*/\1 \2/p; s/^main.c  *\([0-9]*\)  *0 .*/\1 0x0/p' | sort -u > rows
for f in target_second target_sum run_all; do
	start=0x`nm stap_target.ko | sed -n "s/ [tT] $f$//p"`
	$STAP -r $RELEASE -v -l "$m.statement(\"$f@main.c:*\")" | sed -n "s/.*main.c:\([0-9]*\)\").*pc=$f+*\([0-9a-fx]*\) .*/\1 \2/p" |
		while read line offset; do printf '%d 0x%x\n' $line $((start + ${offset:-0})); done | sort > lines
	test `wc -l < lines` -ge 3 && test -z "`comm -23 lines rows`" && echo lines as binutils has them: $f || comm -23 lines rows
done
wrong 'statement("target_second@main.c:44")'
wrong 'statement("*@main.c:44")'
wrong 'statement("*@none.c:3")'
wrong 'statement("nothing_alike@main.c:42")'
wrong 'function("target_tial@main.c")'
wrong 'function("target_tial@main.c").return'
wrong 'function("target_t*@none.c")'
wrong 'statement("target_other@main.c:42")' | short
wrong 'function("target_other@other.c:99")' | short
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
