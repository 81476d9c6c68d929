# SPDX-License-Identifier: GPL-2.0-or-later
# Go: parameters and results by name, in registers and on the stack, strings, slices, stacks that move, compiled with and without
# optimisation. The truth is the program's own: it prints each call as the script does.  What a result is not, and what bears no breakpoint.
# needs: go
# expect: optimised: as the program says
# expect: plain: as the program says
# expect: a name with brackets: 1
# expect: listed: $sum:int $text:struct string $n:int $s:struct string
# expect: refused: 'runtime.gcWriteBarrierR8' of golang cannot be probed: the kernel takes the instruction there (xchg %r8, %rax) for a nop, and the program would go on with wrong registers
# expect: refused: the function returns 2 values: each has a name of its own, $return is none of them
# expect: refused: the function returns nothing: there is no $return
# expect: refused: $sum is a result: it is known in .return probes
# expect: refused: $sum is a result: it is not there yet at the function's entry
# expect: left out: 'runtime.gcWriteBarrierR8' of golang
# expect: text: sum=8 text="hello!"
# expect: text: a=[1, 2, 3] n=40, in memory 2
. "$TOP/testsuite/lib/script.sh"
export GOCACHE="$PWD/gocache" GOFLAGS=-buildvcs=false
cp "$TOP/testsuite/triggers/golang.go" .
go build -o golang golang.go || exit 1
go build -gcflags='-N -l' -o plain golang.go || exit 1
cat > script.stp <<'END'
function str(p, n) { return user_string_n(p, n) }
probe process(@1).function("main.one").return { printf("one %d is %d\n", $n, $return) }
probe process(@1).function("main.named").return { printf("named %d %s is %d %s\n", $n, str($s->str, $s->len), $sum, str($text->str, $text->len)) }
probe process(@1).function("main.escapes").return { printf("escapes %s is %d %s\n", str($s->str, $s->len), $n, str($text->str, $text->len)) }
probe process(@1).function("main.unnamed").return { printf("unnamed %d %d is %d %s\n", $a, $b, $r0, str($r1->str, $r1->len)) }
probe process(@1).function("main.real").return { printf("real %s %d is %d\n", $f$, $n, fp_to_long($return, 0)) }
probe process(@1).function("main.element").return { printf("element %d of %d is %d\n", $i, $v->len, $return) }
global p_a, p_b, p_one, p_two
probe process(@1).function("main.structs") { p_a = $p->a; p_b = str($p->b->str, $p->b->len); p_one = $one[0]; p_two = $two[1] }
probe process(@1).function("main.structs").return {
	printf("structs %d %s %d %d is %d %s\n", p_a, p_b, p_one, p_two, $return->a, str($return->b->str, $return->b->len)) }
probe process(@1).function("main.padding") { printf("padding %d %d %d %d %s %s %d %d %d\n", $p->a, $p->b, $p->c, $p->in->x, fp_to_string($p->in->y, 1),
	str($p->s->str, $p->s->len), $t->l, $t->q, $n) }
probe process(@1).function("main.padding").return { printf("padding is %d %d %d %d %s %s\n", $return->a, $return->b, $return->c, $return->in->x,
	fp_to_string($return->in->y, 1), str($return->s->str, $return->s->len)) }
probe process(@1).function("main.ten") { printf("ten %d %d %d\n", fp_to_long($f->v9, 0), fp_to_long($f->v10, 0), $n) }
probe process(@1).function("main.ten").return { printf("ten is %d %d\n", fp_to_long($return->v0, 0), fp_to_long($return->v9, 0)) }
global m_a, m_j, m_s
probe process(@1).function("main.many") { m_a = $a; m_j = $j; m_s = str($s->str, $s->len) }
probe process(@1).function("main.many").return { printf("many %d %d %s is %d\n", m_a, m_j, m_s, $return) }
probe process(@1).function("main.results").return { printf("results is %d %d %d %s\n", $a, $i, $j, str($s->str, $s->len)) }
global before
probe process(@1).function("main.(*counter).add") { before = $c->n }
probe process(@1).function("main.(*counter).add").return { printf("add %d to %d is %d\n", $n, before, $return) }
probe process(@1).function("main.arrays").return {
	printf("arrays %d %d is %d %d %d %d %d\n", $a[0], $n, $r0[0], $r0[1], $r1, $r2[0], $r2[2]) }
probe process(@1).function("main.nothing").return { println("nothing") }
probe process(@1).function("main.generic[[]*int32*").return { printf("generic %d is %d %d\n", $n, $r0, $r1) }
probe process(@1).function("main.deep").return { if ($n == 2000) printf("deep %d is %d\n", $n, $return) }
END
for kind in golang plain; do
	$GUEST $STAPRUN -o /tmp/told -c ./$kind $(module script.stp ./$kind) > truth
	$GUEST cat /tmp/told > told
	[ $kind = golang ] && name=optimised || name=plain
	cmp -s truth told && [ $(wc -l < told) = 18 ] && echo "$name: as the program says" || { echo "$name:"; diff truth told; }
done
$STAP -l 'process("./golang").function("main.generic*").return' > generic
echo "a name with brackets: $($STAP -r $RELEASE -p2 -e "probe $(cat generic) { next }" | grep -c 'main.generic.*int32')"
$STAP -L 'process("./golang").function("main.named").return' | sed 's/^[^ ]* /listed: /'
cat > refused.stp <<'END'
probe process("./golang").function("main.escapes").return { println($return) }
probe process("./golang").function("main.void").return { println($return) }
probe process("./golang").function("main.named") { println($sum) }
probe process("./golang").function("main.named").return { println(@entry($sum)) }
probe process("./golang").function("runtime.gcWriteBarrierR8") { next }
END
$STAP -r $RELEASE -p2 refused.stp 2>&1 | sed -n "s/^semantic error: /refused: /; s, of $PWD/, of ,; /^refused/p"
$STAP -r $RELEASE -p2 -e 'probe process("./golang").function("runtime.gcWriteBarrier*") { next }' 2>&1 |
	sed -n "s,^WARNING: \(.* of \)$PWD/\(.*\) is left out: .*,left out: \1\2,p"
cat > text.stp <<'END'
probe process("./golang").function("main.named").return { println("text: ", $$return$) }
probe process("./golang").function("main.arrays").return { i = 0; println("text: ", $$parms$, ", in memory ", $a[i]) }
END
$GUEST $STAPRUN -c ./golang $(module text.stp) | grep text:
