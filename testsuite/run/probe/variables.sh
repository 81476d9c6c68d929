# SPDX-License-Identifier: GPL-2.0-or-later
# Variables of a module by its debug information: parameters and locals, nested blocks, inlined instances, arguments on the
# stack, globals, statics of one name in two files, per-CPU ones, writes; a chain in a return probe.  The values are
# in testsuite/modules/stap_vars, at all levels of optimisation; the module's own sums say that the write reached it.  The module's data is found
# also when the module arrives while the script runs, and again.
# stderr: WARNING: module stap_vars is not loaded: its probes begin when it is
# timeout: 120
# expect: scan 10 3 limit 10
# expect: {.next=P, .kind=7, .word=16909060, .bytes=[4, 3, 2, 1], .low=9, .middle=-800, .high=40000, .name="first", .table=[[1, 2, 3], [-4, 5, -6]], .text="one", .fn=P}
# expect: {.next=P, .kind=-2, .word=100, .bytes=[100, 0, 0, 0], .low=31, .middle=1000, .high=1, .name="second", .table=[[0, 0, 0], [0, 0, 0]], .text="two", .fn=0x0}
# expect: 7 9 -800 40000 3 -6 two 5
# expect: -12 1001 2002 16909060 -12 1001 4242 4242 1
# expect: vars_add 1 first 000
# expect: 1000 7 VARS_ODD
# expect: inlined factor 2 word 16909060
# expect: loop total 33818121 seen 1 step abc limit 10 word 16909060
# expect: inlined factor 3 word 100
# expect: loop total 33818422 seen 2 step abc limit 10 word 100
# expect: return 33818428 limit 10 step 3 middle -800 next 100 entry 16909061 limit=0xa step=0x3
# expect: many a 1 seventh 7000 calls 0 name "first"
# expect: many 6229 6 7000 -800 first return=0x1855
# expect: twin 2002 2002 1001
# expect: 33818428 6229 3004 1
# expect: -O0: the same
# expect: -O1: the same
# expect: -O3: the same
# expect: reloaded: -12 1001 2002 16909060 4242 101
# expect: reloaded: -12 1001 2002 16909060 4242 102
# expect: modules: none
. $TOP/testsuite/lib/script.sh
line() { echo "$1@vars.c:$(grep -n "$2" src-stap_vars/vars.c | cut -d: -f1)"; }
cat > vars.stp <<'EOF'
global shown
probe module(@1).function("vars_scan") {
	printf("scan %d %d %s\n", $limit, $step, substr($$parms, strpos($$parms, "limit"), 5) . " " . sprint($limit))
	println($list$)
	println($list->next$$)
	printf("%d %d %d %d %x %d %s %d\n", $list->kind, $list->low, $list->middle, $list->high, $list->bytes[1], $list->table[1][2],
		kernel_string($list->next->text), $list->next->next->word)
	println(@var("vars_global"), " ", @var("vars_same@vars.c"), " ", @var("vars_same@twin.c"), " ", @var("vars_head")->word,
		" ", $vars_global, " ", $vars_same, " ", $vars_percpu, " ", @var("vars_percpu"), " ", &@var("vars_global") == &$vars_global)
	println(symname($list->fn), " ", $vars_head == $list, " ", kernel_string($list->name), " ",
		@defined($seen), @defined($nothing), @defined($list->nothing))
	println(@cast($list, "struct vars_node")->next->middle, " ", $list->kind, " ", @enumname("vars_kind", $list->kind))
}
probe module(@1).statement(@2) {
	printf("loop total %d seen %d step %s limit %d word %d\n", $total, $seen, kernel_string_n($step, 4), $limit, $at->word)
	if (shown++ == 1) $limit = 2
}
probe module(@1).function("vars_inlined").inline { printf("inlined factor %d word %d\n", $factor, $node->word) }
probe module(@1).function("vars_scan").return {
	printf("return %d limit %d step %d middle %d next %d entry %d %s\n", $return, $limit, $step, $list->middle, $list->next->word,
		@entry($list->word + 1), substr($$parms, strpos($$parms, "limit"), 100))
}
probe module(@1).function("vars_many").return {
	printf("many %d %d %d %d %s %s\n", $return, $f, $seventh, $by_value->middle, kernel_string_n(&$by_value->name, 5), $$return)
}
probe module(@1).statement(@3) { printf("many a %d seventh %d calls %d name %s\n", $a, $seventh, $calls, $by_value->name$) }
probe module(@1).function("vars_twin") { println("twin ", $vars_same, " ", @var("vars_same"), " ", $value) }
EOF
probes() { module ../vars.stp -g -m vars "$PWD/stap_vars.ko" "$(line vars_scan 'here: loop')" "$(line vars_many 'calls++')" > /dev/null; }
level() { mkdir -p ./-${1#-} && cd ./-${1#-} && target stap_vars $1 && probes; }
for l in -O2 -O0 -O1 -O3; do (level $l) & test $l = -O0 && wait; done; wait
cp ./-O2/stap_vars.ko .
$GUEST sh -c "cd $PWD; for l in -O2 -O0 -O1 -O3; do cd ./\$l; echo at \$l; insmod stap_vars.ko; $STAPRUN vars.ko -c 'sh -c \"echo 1 > /proc/stap_vars; cat /proc/stap_vars > /run/sums\"'; cat /run/sums
	rmmod stap_vars; cd ..; done" | sed 's/=0x[0-9a-f]\{8,\}/=P/g' > all
of() { sed -n "/^at $1\$/,/^at/p" all | grep -v '^at '; }
of -O2 | tee first
# but for a counter before its line or already behind it, and whether it is there at the entry
alike() { sed 's/ seen [0-9]* / seen N /; s/^\(vars_add 1 first \)[01]/\1N/'; }
alike < first > expected
for l in -O0 -O1 -O3; do of $l | alike | diff expected - && echo $l: the same; done
cat > late.stp <<'EOF'
global n = 100
probe module(@1).function("vars_scan") {
	println("reloaded: ", @var("vars_global"), " ", $vars_same, " ", @var("vars_same@twin.c"), " ", $vars_head->word, " ",
		$vars_percpu, " ", ++n)
}
EOF
echo 'for i in 1 2; do insmod stap_vars.ko && echo 1 > /proc/stap_vars; rmmod stap_vars; modprobe -q dummy; done' > cycles.sh
module late.stp -m late "$PWD/stap_vars.ko" > /dev/null
$GUEST sh -c "cd $PWD; $STAPRUN late.ko -c 'sh cycles.sh'"
modules_left
