# SPDX-License-Identifier: GPL-2.0-or-later
# Variables, statements, inlined instances, labels and C++ methods of programs with debug information, not optimised
# and optimised: what the handlers see is what the program prints or is known from its source.
# expect: -O0: total 390 in 6, hidden 18
# expect: -O0: add 30 apple 0 of 0, add 30 apple 1 of 100, add 30 apple 2 of 230
# expect: -O0: amounts 300, twice 6 inlined 9, found 2 of 8 9 10, search returned -1 9 10, counter 5 6 7
# expect: -O2: total 390 in 6, hidden 18
# expect: -O2: add 30 apple 0 of 0, add 30 apple 1 of 100, add 30 apple 2 of 230
# expect: -O2: amounts 300, twice 6 inlined 9, found 2 of 8 9 10, search returned -1 9 10, counter 5 6 7
# expect: calls with -O0: work 76
# expect: leaf(0, 0) = 0, leaf(-1, 1) = -2, leaf(-2, 2) = -4
# expect: words {.x=2, .y=20, .name="a point"} argument 8 is 8, deepest first: 0 1 2 3
# expect: lines: work@user.c, from work 0, called nested 0 leaf 0
# expect: calls with -O2: work 76
# expect: leaf(0, 0) = 0, leaf(-1, 1) = -2, leaf(-2, 2) = -4
# expect: words {.x=2, .y=20, .name="a point"} argument 8 is 8, deepest first: 0 1 2 3
# expect: lines: work@user.c, from work 1, called nested 1 leaf 3
. "$TOP/testsuite/lib/script.sh"
cp "$TOP/testsuite/triggers/debug.cc" "$TOP/testsuite/triggers/user.c" .
cat > cxx.stp <<'END'
global adds, amounts, inlined, xs, found, ends, returned, counters
probe process("./debug").function("shop::basket::add@debug.cc") {
	if (@defined($it)) {
		adds .= sprintf("%sadd %d %s %d of %d", adds == "" ? "" : ", ", $it->price, user_string($it->name), $count, $this->total)
		counters .= sprintf(" %d", @var("counter"))
	} else
		amounts += $amount
}
probe process("./debug").function("twice").inline { inlined++; xs += $x }
probe process("./debug").function("search").label("found") { found++ }
probe process("./debug").function("search").return { ends .= sprintf(" %d", $to); returned .= sprintf(" %d", $return) }
probe end { printf("%s\n", adds)
	printf("amounts %d, twice %d inlined %d, found %d of%s, search returned%s, counter%s\n", amounts, inlined, xs, found, ends, returned, counters) }
END
cat > calls.stp <<'END'
global leafs, deep, point, h, line, from_work
probe process("./user").function("work").callee("nested") ? { from_work++ }
probe process("./user").function("main").callees(2) ? { callees[strpos(pp(), "nested@") > 0 ? "nested" : strpos(pp(), "leaf@") > 0 ? "leaf" : "other"]++ }
global callees
probe process("./user").function("leaf@user.c").return { leafs .= sprintf("%sleaf(%d, %d) = %d", leafs == "" ? "" : ", ", $a, $b, $return) }
probe process("./user").function("words") { point = $p$ }
probe process("./user").function("eight").call { h = $h }
probe process("./user").function("nested").return { deep .= sprintf(" %d", @entry($n)) }
probe process("./user").statement("work@user.c:*") { line = ppfunc() . "@user.c" }
probe end { println(leafs); printf("words %s argument 8 is %d, deepest first:%s\nlines: %s, from work %d, called nested %d leaf %d\n", point, h, deep, line, from_work,
	callees["nested"], callees["leaf"]) }
END
for level in -O0 -O2; do
	c++ -g $level -o debug debug.cc
	$GUEST $STAPRUN -o /tmp/out -c ./debug $(module cxx.stp) | sed "s/^/$level: /"
	$GUEST sed "s/^/$level: /" /tmp/out
done
for level in -O0 -O2; do
	cc -g $level -o user user.c
	$GUEST $STAPRUN -o /tmp/out -c './user 3' $(module calls.stp) | sed "s/^/calls with $level: /"
	$GUEST cat /tmp/out
done
