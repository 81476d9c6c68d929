# SPDX-License-Identifier: GPL-2.0-or-later
# Variables of a program, read by a script where it runs and by gdb: the same at every stop, without optimisation and with.  What
# gdb alone knows (from callers) is left out, and so are addresses on the stack and heap, which change.
# timeout: 180
# expect-re: -O0 .*: alike, at least 180 values
# expect-re: -O2 .*: alike, at least 100 values
# expect-re: -O1 .*: alike, at least 100 values
# expect: {.next=P, .colour=5, .as_int=33818120, .as_bytes="\b\006\004\002", .low=1544, .high=516, .named={.in_one=0, .in_two=2}, .ratio=2.500000, .part=-0.200000, .fn=P, .grid=[[0, -2, 0], [0, 0, 24]], .bits={.a=2, .b=-2, .c=210128888864, .d=0, .e='?', .f=-10000, .g=-2147483650}, .tight={.c='x', .i=-1002, .j=300002, .l=-1234567890123}, .text="three", .any=P, .atom=2000, .points=[{.x=0, .y=0}, {.x=0, .y=-2}], .tail=[]}
# expect: n=P p={...} s={...} b={...} last=0x4d2
# expect: {.a=11, .b=-22} {.v=[1, 2, 3, 4, ...]} 1234
# expect: one ["one", "two", "three"] "two" {.in_one=0, .in_two=2} 3.750 33818120 BLUE
# expect: return 301001 5 -22 3 5 return=0x497c9 50727180 42
# expect: frames 0 4800 68 4868
# expect: frames 1 2400 67 7339
# expect: frames 2 1200 66 8611
# expect: frames 3 600 65 9282
# expect: a=3.250000 i=-4 f=0.100000 m={.d=-1.000000e+300, .l=12} h={.a=1.000000, .b=2.500000, .c=-3.000000} l=99 z=0.000000 3.250
# expect: return 0.0000000010 0.10000 {.d=-1.000000e+300, .l=12} {.a=1.000000, .b=2.500000, .c=-3.000000}
# expect: C++ -O0: as the program says
# expect: C++ -O2: as the program says
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
data=$TOP/testsuite/unit/data
cat > script.awk <<'END'
# A script with a probe at each address where gdb stopped, for what it has a number for.
BEGIN { print "global hits" }
$1 == "STOP" { pc = $2; line = $4; if (!(pc in seen)) { order[++n] = pc; seen[pc] = line } first = !(pc in done); done[pc] = 1 }
$1 == "VALUE" && first { exprs[pc] = exprs[pc] " " $2 }
END {
	for (i = 1; i <= n; i++) {
		printf "probe process(@1).statement(%s) {\n\tif (hits[%s]++ < 4) {\n\t\tprintln(\"STOP %s\")\n", order[i], order[i], seen[order[i]]
		m = split(exprs[order[i]], e, " ")
		for (k = 1; k <= m; k++) {
			x = e[k]; star = sub(/^\*/, "", x); gsub(/\./, "->", x)
			printf "\t\tprintln(\"%s \", @choose_defined($%s%s, \"optimised\"))\n", e[k], x, star ? "[0]" : ""
		}
		print "\t}\n}"
	}
}
END
# one build: compiler options
check()
{
	least=$1
	shift
	gcc -g -w -no-pie "$@" -o program $data/dwarf_vars.c || exit 1
	SOURCE=$data/dwarf_vars.c OUT=values gdb -batch -nx -x $data/gdb_values.py ./program > gdb.log 2>&1 < /dev/null
	awk -f script.awk values | sed 's/@choose_defined(\(.*\), "optimised")/@defined(\1) ? sprint(\1) : "optimised"/' > script.stp
	$GUEST $STAPRUN -o /tmp/out -c ./program $(module script.stp $PWD/program)
	$GUEST cat /tmp/out > have
	awk '$1 == "STOP" { print $1, $4 } $1 == "VALUE" { print $2, $3 }' values > want
	paste -d' ' have want | awk -v title="$*" -v least=$least '
		$1 != $3 { print "order:", $0; bad++ }
		$3 != "n->any" && $3 != "n->next->next" && $2 != $4 && $2 != "optimised" && $4 != "unreadable" && ($4 + 0 < 2 ^ 44 || $4 + 0 > 2 ^ 48) { print title ": different:", $0; bad++ }
		$2 == $4 && $1 != "STOP" { same++ }
		END { print title ": " (bad ? "not alike" : "alike") ", " (same >= least ? "at least " least : same) " values" }'
}
check 180 -O0 -gdwarf-5
check 100 -O2 -gdwarf-4
check 100 -O1 -gdwarf-5
# Text, values of another type, results; parameters as they were at the entry.
cat > more.stp <<'END'
probe process(@1).function("structs") {
	println($n->next$$)
	println($$parms)
	println($p$, " ", $b$, " ", $last)
	x = @cast($n, "struct node")
	println(user_string($n->text), " ", $words$, " ", @var("words")[1]$, " ", x->next->named$, " ", fp_to_string(x->ratio, 3), " ",
		@cast(x, "struct node")->next->as_int, " ", @enumname("colour", $n->colour))
}
probe process(@1).function("structs").return {
	println("return ", $return, " ", $n->next->colour, " ", $p->b, " ", $s->c, " ", $b->v[4], " ", $$return, " ", @entry($n->as_int), " ", @var("global"))
}
probe process(@1).function("frames").return { println("frames ", $depth, " ", $on_stack, " ", $also, " ", $return) }
probe process(@1).function("vectors") { println($$parms$, " ", fp_to_string($a, 3)) }
probe process(@1).function("vectors").return { println("return ", fp_to_string($z, 10), " ", fp_to_string($f, 5), " ", $m$, " ", $h$) }
END
$GUEST $STAPRUN -o /tmp/out -c ./program $(module more.stp $PWD/program)
$GUEST cat /tmp/out | LC_ALL=C sed 's/=0x[0-9a-f]\{6,\}/=P/g; s/[\x80-\xff]/?/'
# Objects that C++ passes and returns by address, however small: the program tells of each call as the script does.
cat > classes.cc <<'END'
#include <cstdio>
#include <memory>
#include <string>
struct copied { int v; copied(int n) : v(n) {} copied(const copied &o) : v(o.v + 1) {} };
struct moved { long a; moved(long n) : a(n) {} moved(moved &&o) : a(o.a) { o.a = 0; } };
struct inside { char c; copied m[1]; };
struct plain { int a; char b; plain() = default; plain(const plain &) = default; ~plain() = default; };
struct shape { virtual int area() { return side; } int side = 6; };
#define CALL __attribute__((noipa))
CALL int takes(int k, std::string s, copied t, plain p, std::unique_ptr<int> u, inside i, int last)
{
	printf("takes %d %zu %d %d %d %d %d\n", k, s.size(), t.v, p.a, *u, i.m[0].v, last);
	return last;
}
CALL copied gives(int n) { return copied(n); }
CALL moved moves(int n, int m) { return moved(n * m); }
CALL plain plains(int n) { plain p; p.a = n; p.b = 'b'; return p; }
CALL std::string text(int n) { return std::string(n, 'x'); }
CALL shape shapes(int n) { shape s; s.side = n; return s; }
int main()
{
	plain p = plains(7);

	printf("plains 7 %c 7\n", p.b);
	takes(1, "hello", copied(4), p, std::make_unique<int>(9), { 'c', { copied(8) } }, 11);
	printf("gives %d 5\n", gives(5).v);
	printf("moves %ld 3 4\n", moves(3, 4).a);
	printf("text %zu 3\n", text(3).size());
	printf("shapes %d 8\n", shapes(8).area());
}
END
cat > classes.stp <<'END'
probe process(@1).function("takes") {
	printf("takes %d %d %d %d %d %d %d\n", $k, $s->_M_string_length, $t->v, $p->a, user_int(user_long(&$u)), $i->m[0]->v, $last) }
probe process(@1).function("plains").return { printf("plains %d %c %d\n", $return->a, $return->b, $n) }
probe process(@1).function("gives").return { printf("gives %d %d\n", $return->v, $n) }
probe process(@1).function("moves").return { printf("moves %d %d %d\n", $return->a, $n, $m) }
probe process(@1).function("text").return { printf("text %d %d\n", $return->_M_string_length, $n) }
probe process(@1).function("shapes").return { printf("shapes %d %d\n", $return->side, $n) }
END
for level in -O0 -O2; do
	g++ -g $level -w -o classes$level classes.cc || exit 1
	$GUEST $STAPRUN -o /tmp/told -c ./classes$level $(module classes.stp $PWD/classes$level) > truth
	$GUEST cat /tmp/told > told
	cmp -s truth told && [ $(wc -l < told) = 6 ] && echo "C++ $level: as the program says" || { echo "C++ $level:"; diff truth told; }
done
modules_left
