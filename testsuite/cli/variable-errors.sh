# SPDX-License-Identifier: GPL-2.0-or-later
# What cannot be read of a program's variables, and the way out that the messages name.
# expect: unknown: error: no variable '$nn' at process("PROGRAM").function("structs")
# expect: help: did you mean '$n'?
# expect: help: there are: $n $p $s $b $last $sum
# expect: global: error: no variable '$globall' at process("PROGRAM").function("structs")
# expect: help: did you mean the global '$global'?
# expect: help: there are: $n $p $s $b $last $sum
# expect: member: error: struct node has no member 'colourr'
# expect: help: did you mean 'colour'?
# expect-re: help: its members are: next colour as_int as_bytes low high named .*
# expect: whole: error: $p is a whole struct pair, which is no number
# expect: help: name one of its members, or take its address with &$p
# expect: help: its members are: a b
# expect: guru: error: $last cannot be written to: that needs guru mode (-g)
# expect: entry: error: $last is what it was at the function's entry: it cannot be written to
# expect: register: error: $i has no address: it is in a register
# expect: wide: error: $x is of type 'long double': of floating-point types, float and double can be read
# expect-re: gone: error: \$here is optimised out at dwarf_vars.c:[0-9]+ \(0x[0-9a-f]+\)
# expect-re: help: \$here can be read at (dwarf_vars.c:)?.*0x[0-9a-f]+-0x[0-9a-f]+.*
# expect: var: error: no variable 'nothing' in PROGRAM
# expect: file: error: no variable 'global' in other.c of PROGRAM
# expect-re: help: there are: global@.*/dwarf_vars.c:[0-9]+
# expect: return: error: $return exists in .return probes only
# expect: stripped: error: $n: the variables of STRIPPED are not known, it has no debug information
# expect-re: help: compile it with -g, or install its debug symbols; .*
# expect: no local: error: $here is optimised out at dwarf_vars.c:NNN (0xNNN)
# expect-re: help: \$here can be read at .*
# expect: help: a return probe sees variables as they were at the function's entry
# expect: 128 bits: error: $w->big is of type '__int128', which does not fit in 64 bits
# expect: 128 bits: error: $w->wide is of type '__int128 unsigned', which does not fit in 64 bits
# expect: 128 bits: error: $w->decimal is of type '_Decimal64': of floating-point types, float and double can be read
gcc -g -w -O2 -pie -fPIE -o program $TOP/testsuite/unit/data/dwarf_vars.c && gcc -w -O2 -o stripped $TOP/testsuite/unit/data/dwarf_vars.c || exit 1
# name: script
try()
{
	name=$1
	shift
	$STAP -r $RELEASE -p2 "$@" 2>&1 | sed -n "s|^semantic error|$name: error|p; s|^  help|help|p" |
		sed "s|\"*$PWD/program\"*|\"PROGRAM\"|; s|$PWD/stripped|STRIPPED|; s|in \"PROGRAM\"|in PROGRAM|; s|of \"PROGRAM\"|of PROGRAM|" | sed 's|\(function("[a-z]*\)@[^"]*|\1|'
}
p="process(\"$PWD/program\")"
try unknown -e "probe $p.function(\"structs\") { println(\$nn) }"
try global -e "probe $p.function(\"structs\") { println(\$globall) }"
try member -e "probe $p.function(\"structs\") { println(\$n->colourr) }"
try whole -e "probe $p.function(\"structs\") { println(\$p) }"
try guru -e "probe $p.function(\"structs\") { \$last = 1 }"
try entry -g -e "probe $p.function(\"structs\").return { \$last = 1 }"
try register -e "probe $p.function(\"scalars\") { println(&\$i) }"
try wide -e "probe $p.function(\"floats\") { println(\$x) }"
try gone -e "probe $p.function(\"frames\") { println(\$here) }"
try var -e "probe $p.function(\"structs\") { println(@var(\"nothing\")) }"
try file -e "probe $p.function(\"structs\") { println(@var(\"global@other.c\")) }"
try return -e "probe $p.function(\"structs\") { println(\$return) }"
try stripped -e "probe process(\"$PWD/stripped\").function(\"main\") { println(\$n) }"
try 'no local' -e "probe $p.function(\"frames\").return { println(\$here) }" | sed 's/c:[0-9]* (0x[0-9a-f]*)$/c:NNN (0xNNN)/'
cat > program.c <<END
struct w { __int128 big; unsigned __int128 wide; _Decimal64 decimal; double fine; };
int structs(struct w *w) { return w->big; }
int main(void) { struct w w = { 1 }; return structs(&w); }
END
gcc -g -O0 -o program program.c
try '128 bits' -e "probe $p.function(\"structs\") { println(\$w->big, \$w->wide, \$w->decimal, \$w->fine) }"
