# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts from standard input, as programs, with -e; -- ends stap's own options; -E adds more; --example names one that came with stap.
# has-re: ^stdin 1$
# has-re: ^program two$
# has-re: ^dashes -v$
# has-re: ^more$
# has-re: ^example$
# has-re: stap: .*/examples has no example 'nothing' \(stap --example lists them\)
# has-re: stap: .*/examples has no example 'fork'; did you mean 'forks'\? .*
# has-re: parse error: the example needs arguments behind its name
# has-re:   help: stap --example program-latency \./a\.out 'parse_\*' -c \./a\.out
# has-re: errors 1
# has-re: execs +[A-Z].*
# has-re: listed
printf 'probe begin { printf("stdin %%d\\n", $1) }' | $STAP -p1 - 1 > out1 2>&1
grep -q 'stdin' out1 && grep -q '1' out1 && echo 'stdin 1' || cat out1
printf '#!%s -p1\nprobe begin { println(@1) }\n' "$STAP" > program.stp
chmod +x program.stp
./program.stp two > out2 2>&1
grep -q '"two"\|@1' out2 && echo 'program two' || cat out2
$STAP -p1 -e 'probe begin { println(@1) }' -- -v > out3 2>&1
grep -q '"-v"' out3 && echo 'dashes -v' || cat out3
$STAP -p1 -E 'probe end { println("more") }' -e 'probe begin { }' > out4 2>&1
grep -q 'more' out4 && echo more || cat out4
$STAP -p1 --example forks > out5 2>&1
$STAP -p1 "$TOP/examples/forks.stp" > out6 2>&1
cmp out5 out6 && echo example
$STAP -p1 --example nothing 2>&1 || true
$STAP -p1 --example fork 2>&1 || true
$STAP -p1 --example program-latency > out8 2>&1 || cat out8
echo "errors $(grep -c error out8)"
$STAP --example > out7 && cat out7
[ "$(cut -d' ' -f1 out7)" = "$(cd "$TOP/examples" && ls *.stp | sed 's/.stp$//')" ] && echo listed
