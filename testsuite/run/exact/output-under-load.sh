# SPDX-License-Identifier: GPL-2.0-or-later
# Probes of four threads print at full speed: lines printed and lines reported lost make the whole,
# no line is torn, and each thread's own lines are in order.
# timeout: 240
# expect: whole
# expect: untorn
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n
probe kernel.function("__x64_sys_getpgid") {
	if (pid() == target()) printf("%d %d %s\n", tid(), ++n[tid()], "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz")
}
END
$GUEST $STAPRUN -c './calls 4 50000' $(module script.stp) > out 2> err
lines=$(wc -l < out)
lost=$(sed -n 's|^WARNING: \([0-9]*\) records of output lost.*|\1|p' err)
[ $((lines + ${lost:-0})) = 200000 ] && echo whole || { echo "$lines lines"; cat err; }
awk 'NF != 3 || $3 !~ /^[a-z]*[0-9]*[a-z]*$/ || length($3) != 62 || $2 <= last[$1] { bad = 1; print "line " NR ": " $0; exit }
	{ last[$1] = $2 } END { if (!bad) print "untorn" }' out
rm -f out
