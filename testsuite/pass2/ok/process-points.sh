# SPDX-License-Identifier: GPL-2.0-or-later
# What there is not of a program: each message, its place, and the way out.
# expect: semantic error: cannot probe program 'no-such-program-here': there is no such program in $PATH
# expect: semantic error: cannot probe program '/etc/passwd': it is no ELF file
# expect: semantic error: no program matches './no-*'
# expect: semantic error: there is no process 4194303
# expect: semantic error: 'process.function("main")' without a program's name means that of -c CMD or -x PID, and neither is given
# expect: semantic error: no function 'laef' in PATH/user
# expect: help: did you mean 'leaf'?
# expect: semantic error: no function 'leaf' in PATH/stripped: it is stripped of all symbols
# expect: help: PATH/stripped has no debug information here: HINT; function(ADDRESS) works without names
# expect: semantic error: no function 'hidden_static' in PATH/exports
# expect: help: it is stripped: there are the N functions that other files can call
# expect: help: PATH/exports has no debug information here: HINT; function(ADDRESS) works without names
# expect: semantic error: @var("some_words") is not known: PATH/user has no debug information here: HINT
# expect: help: its address is known without debug information: @cast(&@var("some_words"), "TYPE")
# expect: semantic error: @var("some_words") is not known: PATH/user has no debug information here: HINT
# expect: semantic error: PATH/user has no marks
# expect: semantic error: PATH/user calls no library function 'getpid' through its linkage table
# expect: help: did you mean 'getppid'?
# expect: semantic error: PATH/user has no library 'libnone.so'
# expect: semantic error: address 0x10 is not in the code of PATH/user
# expect: semantic error: mark 'reg64' has no argument '$arg3'
# expect: help: did you mean '$arg1'?
# expect: semantic error: $arg1 of mark 'float' cannot be read: it is a floating-point number
# expect: semantic error: unknown probe point component 'functoin' in 'process("./user").functoin("leaf")'
# expect: help: did you mean 'function'?
# expect: semantic error: probe process.syscall has no variable '$arg7'
# expect: help: did you mean '$arg1'?
# expect: semantic error: 'process("./user")' is no probe point by itself: say what of it, for instance .function("main")
# expect: semantic error: address A is inside an instruction
# expect: semantic error: no function 'middle' in PATH/pieces, in other.c
# expect: help: there is middle@PATH/pieces.c:4
# expect: semantic error: no function 'middle' in PATH/pieces, in pieces.c at line 99
# expect: help: there is middle@PATH/pieces.c:4
# expect: semantic error: no function 'midle' in PATH/pieces, in pieces.c
# expect: help: did you mean 'middle'?
# expect: pieces of functions: 1, of wildcards: 0, by name: 1
try()
{
	$STAP -r $RELEASE -p2 -e "probe $1 { $2 }" 2>&1 | grep -E '^semantic error|help: (did you mean|its |it is |there is |.*no debug information)' |
		sed "s|$(realpath .)|PATH|g; s|^ *||; s/here: i[^;]*/here: HINT/; s/the [0-9]* functions/the N functions/"
}
cc -O2 -o user "$TOP/testsuite/triggers/user.c"
cc -O2 -s -o stripped "$TOP/testsuite/triggers/user.c"
cc -O2 -rdynamic -s -o exports "$TOP/testsuite/triggers/user.c"
cc -O2 -o marks "$TOP/testsuite/triggers/marks.c"
try 'process("no-such-program-here").function("main")'
try 'process("/etc/passwd").function("main")'
try 'process("./no-*").function("main")'
try 'process(4194303).function("main")'
try 'process.function("main")'
try 'process("./user").function("laef")'
try 'process("./stripped").function("leaf")'
try 'process("./exports").function("hidden_static")'
try 'process("./user").function("leaf")' 'println(@var("some_words"))'
try 'process("./user").begin' 'println(@var("some_words"))'
try 'process("./user").function("leaf")' 'println(&@var("some_words"))'
try 'process("./user").mark("x")'
try 'process("./user").plt("getpid")'
try 'process("./user").library("libnone.so").function("f")'
try 'process("./user").function(0x10)'
try 'process("./marks").mark("reg64")' 'println($arg3)'
try 'process("./marks").mark("float")' 'println($arg1)'
try 'process("./user").functoin("leaf")'
try 'process.syscall' 'println($arg7)'
try 'process("./user")'
# leaf needs no frame: it begins with an instruction of several bytes
try "process(\"./user\").statement($((0x$(nm user | sed -n 's/ T leaf$//p') + 1)))" | sed 's/0x[0-9a-f]*/A/'
cat > pieces.c <<'END'
#include <stdio.h>
#include <stdlib.h>
void __attribute__((cold, noinline, noreturn)) fatal(const char *text) { puts(text); abort(); }
int __attribute__((noinline)) middle(int n, char **words)
{
	for (int i = 0; i < n; i++) { if (words[i][0] == 'x') fatal(words[i]); puts(words[i]); }
	return n;
}
int main(int argc, char **argv) { return middle(argc, argv); }
END
cc -O2 -g -o pieces pieces.c
try 'process("./pieces").function("middle@other.c")'
try 'process("./pieces").function("middle@pieces.c:99")'
try 'process("./pieces").function("midle@pieces.c")'
points() { $STAP -l "process(\"./pieces\").function(\"$1\")" 2>/dev/null | grep -c 'cold'; }
echo "pieces of functions: $(nm pieces | grep -c 'middle\.cold'), of wildcards: $(points 'm*'), by name: $(points 'm*.cold')"
