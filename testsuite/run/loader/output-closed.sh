# SPDX-License-Identifier: GPL-2.0-or-later
# When nobody reads any more, the session ends by itself, quietly; with a closed output it ends with a word.
# expect: 1
# expect: quiet
# expect: modules: none
# expect: ERROR: cannot write the output: Bad file descriptor
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global n
probe timer.ms(10) { println(++n) }
probe timer.s(50) { exit() }
END
$GUEST sh -c "$STAPRUN $(module script.stp) | head -n 1" 2> err
[ -s err ] && cat err || echo quiet
modules_left
$GUEST sh -c "$STAPRUN $(module script.stp) 3>&1 >&- 2>&3"
modules_left
