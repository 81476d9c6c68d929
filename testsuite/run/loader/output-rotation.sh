# SPDX-License-Identifier: GPL-2.0-or-later
# -S 1,2: a new file every megabyte, of which the last two are kept; lines are whole at the seams, and none is
# missing between the first and the last that are left.
# expect: 2 files
# expect: none over 1100000 bytes
# expect: without a gap, up to 59999
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe begin {
	for (i = 0; i < 60000; i++) printf("%08d .............................................................\n", i)
	exit()
}
END
$GUEST sh -c "mkdir /run/out; cd /run/out; $STAPRUN -o log -S 1,2 $(module script.stp -DMAXACTION=100000)
	echo \$(ls log.* | wc -l) files; find . -size +1100000c | grep . || echo 'none over 1100000 bytes'
	ls -v log.* | xargs cat | awk 'NR > 1 && \$1 != last + 1 { print \"line \" NR \": \" \$0; bad = 1 } { last = \$1 }
		END { if (!bad) print \"without a gap, up to \" last + 0 }'; rm -r /run/out"
