# SPDX-License-Identifier: GPL-2.0-or-later
# Parameters and results that are not where C has them, or not surely, are refused: those of Rust, those that the optimiser has changed, those of types that
# are only declared.  C code whose debug information says that it is Rust, or that functions are changed (as LLVM marks them: DW_CC_nocall).
# expect: two: semantic error: $return cannot be read: how Rust's functions return such a type is told nowhere
# expect: large: probes
# expect: words: probes
# expect: single: probes
# expect: plain: probes
# expect: takes: semantic error: $last cannot be read at the first instruction: how Rust's functions take such types is told nowhere
# expect: it can be read from .statement(ADDRESS) on
# expect: changed, at the entry: semantic error: $n cannot be read at the first instruction: the optimiser has changed which parameters the function takes, and it is not told how
# expect: it can be read from .statement(ADDRESS) on
# expect: changed, behind it: probes
# expect: changed, result in memory: semantic error: $return cannot be read: the optimiser has changed which parameters the function takes, and the address of its result is one of them
# expect: changed, by position: WARNING: the optimiser has changed which parameters the function takes: int_arg() counts those that are left, whichever they are
# expect: changed, by position: probes
# expect: a copy, by position: WARNING: the optimiser has changed which parameters the function takes: int_arg() counts those that are left, whichever they are
# expect: a copy, by position: probes
# expect: declared, $return: semantic error: $return cannot be read: its type is only declared in this debug information
# expect: declared, $n: semantic error: $n cannot be read at the first instruction: the function takes or returns a type that is only declared
# expect: it can be read from .statement(ADDRESS) on
cat > r.c <<'E'
struct two { int a; char b; }; struct words { long a, b; }; struct large { long a, b, c; }; struct single { double d; };
__attribute__((noinline)) struct two two(int n) { return (struct two){ n, n }; }
__attribute__((noinline)) struct words words(int n) { return (struct words){ n, n }; }
__attribute__((noinline)) struct large large(int n) { return (struct large){ n, n, n }; }
__attribute__((noinline)) struct single single(int n) { return (struct single){ n }; }
__attribute__((noinline)) int plain(int n) { return n; }
__attribute__((noinline)) int takes(int n, struct two t, int last) { return n + t.a + last; }
int main(void) { return two(1).a + words(1).a + large(1).a + (int)single(1).d + plain(3) + takes(1, two(2), 3); }
E
try()
{
	title=$1
	shift
	$STAP -r $RELEASE -p2 "$@" 2>&1 | sed 's/^# //; s/^ *help: //; s/statement(0x[0-9a-f]*)/statement(ADDRESS)/' |
		grep -e '^semantic' -e '^probes' -e '^WARNING' -e 'can be read from' | sed "/^it/!s/^/$title: /"
}
rust='s/\.byte[[:space:]]*0x[0-9a-f]*\([[:space:]]*# DW_AT_language\)/.byte 0x1c\1/'
# In place of DW_AT_external, a flag without a value: DW_AT_calling_convention, as a constant (DW_FORM_implicit_const).
changed='/(DW_AT_external)/{s/0x3f/0x36/;n;s/.*/.uleb128 0x21\n.sleb128 3/}'
gcc -gdwarf-5 -O1 -S -dA r.c -o r.s && sed -i "$rust" r.s && gcc r.s -o r || exit 1
gcc -gdwarf-5 -O0 -S -dA r.c -o plain.s && sed "$rust" plain.s > rust.s && gcc rust.s -o rust || exit 1
sed -i "$changed" rust.s && gcc rust.s -o changed || exit 1
for f in two large words single plain; do
	try $f -e "probe process(\"./r\").function(\"$f\").return { println(\$return\$) }"
done
try takes -e 'probe process("./rust").function("takes") { println($n, $last) }'
try 'changed, at the entry' -e 'probe process("./changed").function("plain") { println($n) }'
behind=$($STAP -r $RELEASE -p2 -e 'probe process("./changed").function("plain") { println($n) }' 2>&1 | sed -n 's/.*statement(\(0x[0-9a-f]*\)).*/\1/p')
try 'changed, behind it' -e "probe process(\"./changed\").statement($behind) { println(\$n) }"
try 'changed, result in memory' -e 'probe process("./changed").function("large").return { println($return$) }'
try 'changed, by position' -e 'probe process("./changed").function("plain") { println(int_arg(1)) }'
cat > copy.c <<'E'
static __attribute__((noinline)) int f(int n, int k) { int r = 0; for (int i = 0; i < n; i++) r += i * k; return r; }
int main(int argc, char **argv) { return f(argc, 4) + f(argc + 1, 4); }
E
gcc -g -O2 copy.c -o copy || exit 1
try 'a copy, by position' -e 'probe process("./copy").function("f") { println(int_arg(1)) }'
# Debug information that leaves out what headers define.
echo 'struct big { long a, b, c; };' > header.h
cat > declared.c <<'E'
#include "header.h"
struct big f(int n) { return (struct big){ n, n, n }; }
int main(int argc, char **argv) { return f(argc).a; }
E
gcc -g -O0 -femit-struct-debug-baseonly declared.c -o declared || exit 1
try 'declared, $return' -e 'probe process("./declared").function("f").return { println($return->a) }'
try 'declared, $n' -e 'probe process("./declared").function("f") { println($n) }'
