# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts from standard input, as programs, with -e; -- ends stap's own options; -E adds more.
# has-re: ^stdin 1$
# has-re: ^program two$
# has-re: ^dashes -v$
# has-re: ^more$
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
