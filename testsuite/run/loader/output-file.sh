# SPDX-License-Identifier: GPL-2.0-or-later
# -o writes to a file whose name may hold strftime(3)'s conversions; nothing goes to standard output.
# expect: log-1970.txt or later
# expect: line
# expect: status 0
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe begin { println("line"); exit() }
END
file=$(module script.stp)
$GUEST sh -c "mkdir /run/out; cd /run/out; $STAPRUN -o 'log-%Y%%.txt' $file; status=\$?
	year=\$(date +%Y); test -e log-\$year%.txt && echo 'log-1970.txt or later'; cat *; echo status \$status; rm -r /run/out"
