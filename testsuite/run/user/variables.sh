# SPDX-License-Identifier: GPL-2.0-or-later
# Variables of a program, read by a script where it runs and by gdb: the same at every stop, without optimisation and with.  What
# gdb alone knows (from callers) is left out, and so are addresses on the stack and heap, which change.
# timeout: 180
# expect-re: -O0 .*: alike, at least 180 values
# expect-re: -O2 .*: alike, at least 100 values
# expect-re: -O1 .*: alike, at least 100 values
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
		$2 != $4 && $2 != "optimised" && $4 != "unreadable" && ($4 + 0 < 2 ^ 44 || $4 + 0 > 2 ^ 48) { print title ": different:", $0; bad++ }
		$2 == $4 && $1 != "STOP" { same++ }
		END { print title ": " (bad ? "not alike" : "alike") ", " (same >= least ? "at least " least : same) " values" }'
}
check 180 -O0 -gdwarf-5
check 100 -O2 -gdwarf-4
check 100 -O1 -gdwarf-5
modules_left
