# SPDX-License-Identifier: GPL-2.0-or-later
# input.char and input.line: bytes and lines of a pipe, the last one without newline; its end does not end the session;
# a command has an empty standard input; a terminal gives single keys without an echo, and gets its mode back.
# stdin: data/input.txt
# expect: line 'first line'
# expect: line ''
# expect: line 'no newline e'
# expect: 4 e, 24 bytes, 2 newlines
# expect: at the end still there
# expect: line '1 2 3'
# expect: command read 0
# expect: 0 e, 6 bytes, 1 newlines
# expect: status 0
# expect: key q
# expect: 0
# expect: icanon echo
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global n, e, newlines
probe input.char { n++; e += char == "e"; newlines += char == "\n" }
probe input.line { printf("line '%s'\n", line) }
probe end { printf("%d e, %d bytes, %d newlines\n", e, n, newlines) }
END
cat > end.stp <<'END'
probe stdin.line { println($line) }
probe timer.ms(1500) { println("still there"); exit() }
END
cat > key.stp <<'END'
probe begin { println("ready") }
probe input.char { printf("key %s\n", char); exit() }
END
echo 'sleep 0.5; echo command read $(wc -c)' > count.sh
cat > run.sh <<END
$STAPRUN -c 'sleep 3' $(module script.stp)
echo at the end \$(printf '' | $STAPRUN $(module end.stp))
echo 1 2 3 | $STAPRUN -c "sh count.sh" $(module script.stp)
echo status \$?
echo "$STAPRUN $(module key.stp) > out; stty -a > mode" > in-terminal.sh
touch out
(while ! grep -q ready out; do sleep 0.1; done; sleep 0.5; printf q; while ! test -s mode; do sleep 0.1; done) |
	script -qec 'stty sane; sh in-terminal.sh' /dev/null > echoed
grep key out
grep -c q echoed
echo \$(tr ' ' '\\n' < mode | grep -x -e echo -e icanon)
END
$GUEST sh run.sh
