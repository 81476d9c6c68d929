# SPDX-License-Identifier: GPL-2.0-or-later
# Half a million lines of a hundred bytes: all come out, in order, or what is missing is counted.
# timeout: 240
# expect: whole
# expect: in order
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global n
probe begin {
	pad = "........................................................................................."
	for (i = 0; i < 500000; i++) printf("%09d %s\n", n++, pad)
	exit()
}
END
$GUEST $STAPRUN $(module script.stp -DMAXACTION=1000000) > out 2> err
[ $(wc -l < out) = 500000 ] && [ $(wc -c < out) = 50000000 ] && echo whole || { wc out; cat err; }
awk '$1 != NR - 1 { bad = 1; print "line " NR " is " $1; exit } END { if (!bad) print "in order" }' out
rm -f out
