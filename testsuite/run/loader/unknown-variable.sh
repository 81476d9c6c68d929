# SPDX-License-Identifier: GPL-2.0-or-later
# VAR=VALUE of a name that the script does not have, or of a value that does not fit: refused, nothing runs.
# expect: 1 ERROR: the script has no global variable nosuch
# expect-re: 1 ERROR: n=seven: not a number.*
# expect-re: 1 ERROR: "word" is not of the form VARIABLE=VALUE
# expect-re: 1 ERROR: a=1: not a number, or the variable is not a plain number or string
# expect: -7
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global n, a
probe begin { println(n); if (n > 100) { a[1] = 1; println(a[1]) }; exit() }
END
file=$(module script.stp)
for setting in nosuch=1 n=seven word a=1; do
	message=$($GUEST $STAPRUN $file $setting 2>&1)
	echo "$? $message"
done
$GUEST $STAPRUN $file n=-7
modules_left
