# SPDX-License-Identifier: GPL-2.0-or-later
# A module with debuginfo: functions of one name told apart by their files, inlined instances, labels, statements,
# callees, in a module loaded before and one that comes later (its sections are elsewhere each time).  Places are
# gdb's, values are those of the source.
# timeout: 180
# stderr-re: .*module stap_target is not loaded: its probes begin when it is
# expect: places as gdb has them
# expect: list: 2 twins
# expect: list: module("stap_target").function("target_second@main.c:36").label("negative") /* pc=target_second */ $value:int $sum:int
# expect: before: first twin(main.c) 1 101 2 102 twin(other.c) 1 2
# expect: before: inlined 1 101 99 2 102 98
# expect: before: label negative -1 -2
# expect: before: line 42 sum 205 207 value 1 2
# expect: before: callee 1 2 tail 2 3 recursive 10 returns 20 30
# expect: before: at 1 1 1 2 2 2
# expect: before: section 1000 2000 numeric 1 2 instruction 1 2 init 0 exit 0
# expect: later: first twin(main.c) 1 101 2 102 twin(other.c) 1 2
# expect: later: inlined 1 101 99 2 102 98
# expect: later: label negative -1 -2
# expect: later: line 42 sum 205 207 value 1 2
# expect: later: callee 1 2 tail 2 3 recursive 10 returns 20 30
# expect: later: at 1 1 1 2 2 2
# expect: later: section 1000 2000 numeric 1 2 instruction 1 2 init 2 exit 1
. $TOP/testsuite/lib/script.sh
target stap_target
m="module(\"$PWD/stap_target.ko\")"

# NAME+OFFSET of each line of target_second, by us and by gdb
$STAP -r $RELEASE -v -l "$m.statement(\"target_second@src-stap_target/main.c:37-47\")" |
	sed -n 's/.*main.c:\([0-9]*\)").*pc=target_second+\(0x[0-9a-f]*\) .*/\1 \2/p' > ours
while read line offset; do
	gdb -nx -batch -ex "info line main.c:$line" stap_target.ko |
		sed -n 's/^[^<]*<target_second>.*/0/p; s/^[^<]*<target_second+\([0-9]*\)>.*/\1/p' |
		while read theirs; do echo $line `printf 0x%x $theirs`; done
done < ours > theirs
test `wc -l < ours` -ge 5 && cmp ours theirs && echo places as gdb has them
echo list: `$STAP -r $RELEASE -l "$m.function(\"target_twin\")" | grep -c 'target_twin@.*c:[0-9]*")$'` twins
$STAP -r $RELEASE -v -L "$m.function(\"target_second\").label(\"*\")" |
	sed "s|@$PWD/src-stap_target/|@|; s|+0x[0-9a-f]*||; s|^|list: |"

# addresses as numbers: a function's as nm has it, and that of its second instruction
number=0x`nm stap_target.ko | sed -n 's/ T target_tail$//p'`
second=0x`objdump -d --no-show-raw-insn --section=.text stap_target.ko | sed -n '/<target_tail>:/,/^$/s/^ *\([0-9a-f]*\):\t.*/\1/p' | sed -n 2p`
cat > dwarf.stp <<END
global out, inits, exits
probe $m.function("target_elsewhere") { out["section"] .= sprintf(" %d", \$value) }
probe $m.function($number) { out["numeric"] .= sprintf(" %d", \$value) }
probe $m.statement($second) { out["instruction"] .= sprintf(" %d", \$value) }
probe $m.function("target_init"), $m.statement("target_init@main.c+2") { inits++ }
probe $m.function("target_exit") { exits++ }
probe $m.function("target_twin@main.c") { out["first twin(main.c)"] .= sprintf(" %d", \$value) }
probe $m.function("target_twin@src-stap_target/other.c") { out["twin(other.c)"] .= sprintf(" %d", \$value / 1) }
probe $m.function("target_inlined").inline { out["inlined"] .= sprintf(" %d", \$value) }
probe $m.function("target_second").label("neg*") { out["label negative"] .= sprintf(" %d", \$value) }
probe $m.statement("target_second@main.c:42") { out["line 42 sum"] .= sprintf(" %d", \$sum); out["value"] .= sprintf(" %d", \$value) }
probe $m.function("run_all").callee("target_first") { out["callee"] .= sprintf(" %d", \$value) }
probe $m.function("target_tail_end@*/main.c") { out["tail"] .= sprintf(" %d", \$value) }
probe $m.function("target_recursive@main.c").return { if (\$depth == 4) recursive = \$return; else next; out["recursive"] = sprintf(" %d", recursive) }
probe $m.function("target_tail_end@main.c").return { out["returns"] .= sprintf(" %d", \$return) }
probe $m.statement("target_tail@main.c+1"), $m.statement("target_tail@main.c:60-70") { out["at"] .= sprintf(" %d", \$value) }
probe end {
	printf("first twin(main.c)%s twin(other.c)%s\n", out["first twin(main.c)"], out["twin(other.c)"])
	printf("inlined%s\nlabel negative%s\n", out["inlined"], out["label negative"])
	printf("line 42 sum%s value%s\n", out["line 42 sum"], out["value"])
	printf("callee%s tail%s recursive%s returns%s\n", out["callee"], out["tail"], out["recursive"], out["returns"])
	printf("at%s\n", out["at"])
	printf("section%s numeric%s instruction%s init %d exit %d\n", out["section"], out["numeric"], out["instruction"], inits, exits)
}
END
module dwarf.stp -m dwarf > /dev/null
$GUEST sh -c "cd $PWD; insmod stap_target.ko; $STAPRUN dwarf.ko -c \"sh -c 'echo 2 > /proc/stap_target'\"" | sed 's/^/before: /'
$GUEST sh -c "cd $PWD; rmmod stap_target; $STAPRUN dwarf.ko -c \"sh -c 'insmod stap_target.ko; echo 2 > /proc/stap_target; rmmod stap_target'\"" | sed 's/^/later: /'
