# SPDX-License-Identifier: GPL-2.0-or-later
# Rust: parameters at the entry and results, without optimisation and with.  The truth is the program's own: it prints each call as the script does.
# needs: rustc
# expect: opt-level=0: as the program says
# expect: opt-level=1: as the program says
# expect: opt-level=3: as the program says
. "$TOP/testsuite/lib/script.sh"
cp "$TOP/testsuite/triggers/calls.rs" .
cat > script.stp <<'END'
probe process(@1).function("calls::large").return { printf("large %d is %d %d %d\n", $n, $return->a, $return->b, $return->c) }
probe process(@1).function("calls::array").return { printf("array %d is %s\n", $n, $return$) }
probe process(@1).function("calls::text").return { printf("text %s %d is %d\n", user_string_n($s->data_ptr, $s->length), $n, $return) }
probe process(@1).function("calls::part").return { printf("part %d is %s\n", $n, user_string_n($return->data_ptr, $return->length)) }
probe process(@1).function("calls::maybe").return { printf("maybe %d is %d %d\n", $n, $return->__discriminant, $return->__discriminant ? $return->Some->__0 : 0) }
%( @2 == "0" %? probe process(@1).function("calls::takes") { printf("takes %d %d %d\n", $n, $l->b, $last) }
probe process(@1).function("calls::foreign") { printf("foreign %d %d %d\n", $n, $l->b, $last) }
probe process(@1).function("calls::foreign").return { printf("foreign is %d\n", $return->b) }
probe process(@1).function("calls::changed") { printf("changed %d %d\n", $n, $unused) } %)
END
for level in 0 1 3; do
	rustc -A warnings -g -C opt-level=$level -o calls$level calls.rs || exit 1
	$GUEST $STAPRUN -o /tmp/told -c ./calls$level $(module script.stp ./calls$level $level) > said
	$GUEST cat /tmp/told > told
	[ $level = 0 ] && mv said truth || grep -v -e ^takes -e ^changed -e ^foreign said > truth
	cmp -s truth told && [ $(wc -l < told) -ge 10 ] && echo "opt-level=$level: as the program says" || { echo "opt-level=$level:"; diff truth told; }
done
