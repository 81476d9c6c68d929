# SPDX-License-Identifier: GPL-2.0-or-later
# What the vma tracker knows is what /proc/PID/maps says, whatever is done to the mappings: by both strategies.
# timeout: 240
# expect: probe: tables the same, many
# expect: syscall: tables the same, many
# expect: odd: tables the same, 1000 of 100000 printed
# expect: code: by probe 0 wrong, by syscall 0 wrong, many
# expect: replayed: 2 the same, 0 other; told of all kinds
. "$TOP/testsuite/lib/script.sh"
trigger maps
cc -O2 -Wall -o maps_replay "$TOP/testsuite/triggers/maps_replay.c" || exit 1
cat > tables.stp <<'END'
probe process("./maps").function("checkpoint") {
	if (int_arg(1)) {
		printf("== %d %d\n", pid(), int_arg(1))
		print_umaps()
	}
}
END
# Each table as one line; the kernel's own page, the one that it maps for uprobes without any call, and what became of a file since, are no part of it.
lines()
{
	grep -v '\[vsyscall\]$\|\[uprobes\]$' "$1" | sed 's/ (deleted)$//' | awk '/^== / { if (NR > 1) print line; line = $0; next } { line = line "|" $0 } END { print line }' | sort
}
for strategy in probe syscall; do
	file=$(module tables.stp -DSTP_VMA_STRATEGY=$strategy -DMAXSKIPPED=-1)
	$GUEST sh -c "rm -f /tmp/truth; $STAPRUN -o /tmp/tables -c \"$PWD/maps /tmp/truth 200\" $file; cat /tmp/tables; echo ==== ; cat /tmp/truth" > both
	sed '/^====$/,$d' both > tables; sed '1,/^====$/d' both > truth
	lines tables > tables.lines; lines truth > truth.lines
	cmp -s tables.lines truth.lines && echo "$strategy: tables the same, $([ $(wc -l < truth.lines) -gt 14 ] && echo many || wc -l < truth.lines)" ||
		{ echo "$strategy: other"; diff truth.lines tables.lines | tr '|' '\n' > differ.$strategy
		for n in $(grep -o '^== [0-9]* [0-9]*' truth | tr ' ' _); do
			n=$(echo $n | tr _ ' '); grep "^$n|" truth.lines | tr '|' '\n' > a; grep "^$n|" tables.lines | tr '|' '\n' > b
			cmp -s a b || { echo "at $n"; diff a b; }; done | head -20; }
done
# Odd names, a path of 3,800 characters; of a hundred thousand mappings the first ones are printed, and how many more there are.
file=$(module tables.stp -DMAXSKIPPED=-1 -DSTP_NO_OVERLOAD)
$GUEST sh -c "rm -f /tmp/truth; echo 300000 > /proc/sys/vm/max_map_count; $STAPRUN -o /tmp/tables -c \"$PWD/maps /tmp/truth odd\" $file; cat /tmp/tables; echo ====
	grep -v vsyscall /tmp/truth | awk '/^== / { if (n > 1001) print \"...\", n - 1001, \"more\"; n = 0 } ++n <= 1001'" > both
sed '/^====$/,$d' both > tables; sed '1,/^====$/d' both > truth
lines tables > tables.lines; lines truth > truth.lines
if cmp -s tables.lines truth.lines; then echo "odd: tables the same, $(awk '$1 == "..." { print "1000 of", ($2 > 99000 ? 100000 : $2) }' truth) printed"
else echo odd: other; diff truth.lines tables.lines | tr '|' '\n' | head -20; fi
# Code that is mapped over and over, by a program that knows what it has where: names follow, and never tell of what was there before.
trigger recode
cat > code.stp <<'END'
global n, wrong
probe process("./recode").function("checkpoint") {
	name = umodname(pointer_arg(1))
	want = int_arg(2) & 3
	n++
	if (name != (want == 1 ? "one" : want == 2 ? "two" : "<unknown>")) wrong[want, name]++
}
probe end { foreach ([w, name] in wrong) { sum += wrong[w, name]; printf("%d not %s, ", w, name) } printf("%d wrong, %s", sum, n > 6000 ? "many" : sprint(n)) }
END
cp recode one; cp maps two
for strategy in probe syscall; do
	file=$(module code.stp -DMAXSKIPPED=-1 -DSTP_NO_OVERLOAD -DSTP_VMA_STRATEGY=$strategy)
	$GUEST sh -c "cp one two /tmp; $STAPRUN -c '$PWD/recode /tmp/one /tmp/two 600' $file" > code.$strategy
done
echo "code: by probe $(sed 's/, many$//' code.probe), by syscall $(cat code.syscall)"
file=$(module "$TOP/examples/maps.stp" -DMAXSKIPPED=-1 -m stap_maps)
$GUEST sh -c "$STAPRUN -o /tmp/changes -c \"$PWD/maps /tmp/truth 200\" $PWD/$file; cat /tmp/changes" > changes
./maps_replay < changes
