# SPDX-License-Identifier: GPL-2.0-or-later
# -S 1,2: a new file every megabyte, of which the last two are kept; lines are whole at the seams, and none is
# missing between the first and the last that are left.  switch_file() and SIGUSR2 begin a new one at any time.
# expect: 2 files
# expect: none over 1100000 bytes
# expect: without a gap, up to 59999
# expect: switched: one, two, three
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe begin {
	for (i = 0; i < 60000; i++) printf("%08d .............................................................\n", i)
	exit()
}
END
cat > switch.stp <<'END'
probe begin { println("one") switch_file() println("two") system("kill -USR2 $PPID") }
probe timer.s(1) { println("three") exit() }
END
$GUEST sh -c "mkdir /run/out; cd /run/out; $STAPRUN -o log -S 1,2 $(module script.stp -DMAXACTION=100000)
	echo \$(ls log.* | wc -l) files; find . -size +1100000c | grep . || echo 'none over 1100000 bytes'
	ls -v log.* | xargs cat | awk 'NR > 1 && \$1 != last + 1 { print \"line \" NR \": \" \$0; bad = 1 } { last = \$1 }
		END { if (!bad) print \"without a gap, up to \" last + 0 }'; 
	$STAPRUN -o s $(module switch.stp); echo switched: \$(cat s), \$(cat s.1), \$(cat s.2); cd /; rm -r /run/out"
