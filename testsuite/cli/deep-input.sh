# SPDX-License-Identifier: GPL-2.0-or-later
# Every construct a thousand deep, wide or long, and some of them a hundred thousand times: C or an error with a position,
# within seconds and within memory.
# timeout: 240
# expect: done

cc -O1 -o repeat "$TOP/testsuite/cli/data/repeat.c" || exit 1

# NAME N HEAD OPEN MIDDLE CLOSE TAIL: the script that repeat.c makes of them, with limits of memory (kB) and time.
one()
{
	name=$1
	shift
	./repeat "$@" > t.stp
	(ulimit -v 4000000; exec timeout 60 "$STAP" -w -g -r "$RELEASE" -p3 t.stp > out 2> err)
	status=$?
	if [ $status -gt 1 ]; then
		echo "$name, $1: status $status"
	elif [ $status = 1 ] && ! grep -q '^  at t.stp:[0-9]*:[0-9]*$' err; then
		echo "$name, $1: no position: $(head -c 200 err)"
	elif [ $(wc -c < err) -gt 20000 ]; then
		echo "$name, $1: much to read"
	fi
}

both()
{
	name=$1
	shift
	one "$name" 990 "$@"
	one "$name" 100000 "$@"
}

both parentheses 'probe begin { println(' '(' 1 ')' ') }'
both blocks 'probe begin ' '{' ' println(1) ' '}' ''
both else-branches 'global x probe begin { println(' 'x ? 1 : ' 2 '' ') }'
both then-branches 'global x probe begin { println(' 'x ? ' 1 ' : 2' ') }'
both minus 'global x probe begin { println(' '- ' x '' ') }'
both not 'global x probe begin { println(' '!' x '' ') }'
both sum 'global x probe begin { println(' 'x + ' 1 '' ') }'
both sum-of-sums 'global x probe begin { println(' 'x + (' 1 ')' ') }'
both text 'global x = "a" probe begin { println(' 'x . ' '"b"' '' ') }'
both and 'global x probe begin { println(' 'x && ' 1 '' ') }'
both assignments 'global x probe begin { ' 'x = ' 1 '' ' println(x) }'
both indexes 'global a probe begin { println(' 'a[' 1 ']' ') a[1] = 2 }'
both calls 'function f(x) { return x + 1 } probe begin { println(' 'f(' 1 ')' ') }'
both if 'global x probe begin { ' 'if (x) ' 'println(1)' '' ' }'
both else 'global x probe begin { ' 'if (x) println(2) else ' 'println(1)' '' ' }'
both while 'global x probe begin { ' 'while (x) ' 'x--' '' ' }'
both for 'global x probe begin { ' 'for (i# = 0; i# < 1; i#++) ' 'x--' '' ' println(x) }'
both foreach 'global a probe begin { a[1] = 1 ' 'foreach (i# in a) ' 'println(1)' '' ' }'
both try 'global a probe begin { ' 'try { ' 'println(1 / a)' ' } catch { println(2) }' ' }'
both catch 'global a probe begin { ' 'try { println(1 / a) } catch { ' 'println(2)' ' }' ' }'
both macro-arguments '@define m(x) %( @x %) probe begin { println(' '@m(' 1 ')' ') }'
one macros 990 '@define m0 %( 1 %) ' '@define m@@ %( @m# %) ' '' '' 'probe begin { println(@m#) }'
both conditions '' '%( 1 == 1 %? ' 'probe begin { println(1) }' ' %)' ''
both conditions-else '' '%( 1 == 0 %? x %: ' 'probe begin { println(1) }' ' %)' ''
both conditions-skipped '' '%( 1 == 0 %? ' x ' %)' ' probe begin { println(1) }'
both condition-and '%( 1 == 1 ' '&& 1 == 1 ' '%? probe begin { println(1) } %)' '' ''
both members 'probe kernel.function("vfs_read") { println($file' '->f_inode->i_sb->s_root->d_inode' '->i_ino) }' '' ''
both target-index 'probe kernel.function("vfs_read") { println(' '$buf[' 0 ']' ') }'
both casts 'probe begin { println(' '@cast(' 'task_current()' ', "task_struct")->real_parent' '->pid) }'
both defined 'probe begin { println(' '@defined(' '$x' ')' ') }'
both sprintf 'probe begin { println(' 'sprintf("%s", ' '"a"' ')' ') }'
both in 'global a probe begin { println(' '([(' 1 ')] in a)' ') a[1] = 1 }'
both regex-parentheses 'probe begin { println("a" =~ "' '(' a ')' '") }'
both regex-or 'probe begin { println("a" =~ "' 'a|' b '' '") }'
both regex-blow-up 'probe begin { println("a" =~ "(a|b)*a' '(a|b)' '' '' '") }'
both regex-long 'probe begin { println("a" =~ "' ab '' '' '") }'
both point-braces 'probe ' '{' begin '}' ' { println(1) }'
both point-parts 'probe a' '.b' '' '' ' { println(1) }'
both point-stars 'probe kernel.function("' '*a' '' '' '") { println(1) }'
both keys 'global a probe begin { a[1' ', 1' '] = 1 }' '' ''
both increments 'global x probe begin { println(x' '++' ') }' '' ''
both embedded '' '%{' '%} probe begin { println(1) }' '' ''
both long-name 'global ' a ' probe begin { println(' a '++) }'
both long-number 'probe begin { println(' 1 '' '' ') }'
both long-function 'probe kernel.function("' a '' '' '") { println(1) }'
both long-member 'probe kernel.function("vfs_read") { println($file->' a '' '' ') }'
both long-width 'probe begin { printf("%' 1 '' '' 'd", 1) }'
one megabytes 4000000 'probe begin { println("' a '' '' '") println(x y) }'
one aliases 990 '' 'probe a# = a@@ { v# = 1 } ' 'probe a# = begin { } probe a0 { println(v0) }' '' ''
one alias-fan 60 '' 'probe a# = a@@, a@@ { } ' 'probe a# = begin { } probe a0 { println(1) }' '' ''
one functions 990 '' 'function f#(x) { return f@@(x) + 1 } ' 'function f#(x) { return x } probe begin { println(f0(1)) }' '' ''
one functions 3000 '' 'function f#(x) { return f@@(x) + 1 } ' 'function f#(x) { return x } probe begin { println(f0(1)) }' '' ''
one functions-of-text 990 '' 'function f#(x) { return f@@(x) . "a" } ' 'function f#(x) { return x } probe begin { println(f0("b")) }' '' ''
one overloads 990 '' 'function f(x:long) { if (x == #) next; return 1 } ' 'probe begin { println(f(1)) }' '' ''
one globals 990 'global g#' ', g#' ' probe begin { g# = 1 ' 'g@@ = g# ' ' println(g1) }'
one probes 3000 'global x ' 'probe begin { x += # } ' '' '' ''
# Deep expressions in functions that call one another.
minus=$(awk 'BEGIN { for (i = 0; i < 900; i++) printf "- " }')
one calls-in-depth 300 '' "function f#(x) { return $minus f@@(x) } " 'function f#(x) { return x } probe begin { println(f0(1)) }' '' ''
one recursion-in-depth 300 '' "function f#(x) { return $minus f@@(x) } " 'function f#(x) { return f0(x) } probe begin { println(f0(1)) }' '' ''
echo done
