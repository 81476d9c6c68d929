# SPDX-License-Identifier: GPL-2.0-or-later
# Marks: every form of operand, counters, wildcards, providers, names with a dash.
# The values are those that triggers/marks.c has put there.
# expect: enabled 1
# expect: reg64 -3
# expect: reg32 -3 4294967293
# expect: reg16 -3 65533
# expect: reg8 -3 253
# expect: high8 129 -14
# expect: memory -1 2 4 -1
# expect: symbol -77 20 30
# expect: constant -5 5 78187493520 -1
# expect: string hello from the program
# expect: none
# expect: float 9
# expect: unsized 7 3
# expect: counted 0 other
# expect: process("marks").provider("other").mark("two__words") 0
# expect: string from the program
# expect: arg1=0x7 arg2=0x3
# expect: forms 12 all 15 dashed 1
# expect: enabled 0
. "$TOP/testsuite/lib/script.sh"
trigger marks
cat > script.stp <<'END'
global forms, all, dashed
probe process("./marks").mark("reg64") { printf("%s %d\n", $$name, $arg1) }
probe process("./marks").mark("reg32") { printf("%s %d %d\n", $$name, $arg1, $arg2) }
probe process("./marks").mark("reg16") { printf("%s %d %d\n", $$name, $arg1, $arg2) }
probe process("./marks").mark("reg8") { printf("%s %d %d\n", $$name, $arg1, $arg2) }
probe process("./marks").mark("high8") { printf("%s %d %d\n", $$name, $arg1, $arg2) }
probe process("./marks").mark("memory") { printf("%s %d %d %d %d\n", $$name, $arg1, $arg2, $arg3, $arg4) }
probe process("./marks").mark("symbol") { printf("%s %d %d %d\n", $$name, $arg1, $arg2, $arg3) }
probe process("./marks").mark("constant") { printf("%s %d %d %d %d\n", $$name, $arg1, $arg2, $arg3, $arg4) }
probe process("./marks").provider("f*").mark("string") { printf("%s %s\n", $$name, user_string($arg1)) }
probe process("./marks").mark("none") { println($$name) }
probe process("./marks").mark("float") { printf("%s %d\n", $$name, @defined($arg1) ? -1 : $arg2) }
probe process("./marks").mark("unsized") { printf("%s %d %d\n", $$name, $arg1, $arg2) text = $$vars }
probe process("./marks").mark("counted") { printf("%s %d %s\n", $$name, $arg1, $$provider) }
probe process("./marks").mark("two-words") { dashed++; printf("%s %d\n", str_replace(pp(), path, ""), $arg1) }
probe process("./marks").provider("other").mark("str*") { printf("%s %s\n", $$name, user_string($arg1)) }
probe process("./marks").provider("forms").mark("*") { forms++ }
probe process("./marks").mark("*") { all++ }
global text, path
probe begin { path = @1 . "/" }
probe end { println(text); printf("forms %d all %d dashed %d\n", forms, all, dashed) }
END
# The program writes to the same place as the loader, whenever either likes: apart, their order is known.
$GUEST $STAPRUN -o /tmp/out -c ./marks $(module script.stp "$(realpath .)")
$GUEST cat /tmp/out
$GUEST ./marks
