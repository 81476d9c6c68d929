# SPDX-License-Identifier: GPL-2.0-or-later
# The same while begin and end probes print more than the buffer holds.
# timeout: 100
# expect: 0
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
function much() { for (i = 0; i < 100000; i++) printf("%d ..............................................\n", i) }
probe begin { println(0); much() }
probe end { much() }
END
$GUEST sh -c "$STAPRUN $(module script.stp -DMAXACTION=1000000) | head -n 1"
modules_left
