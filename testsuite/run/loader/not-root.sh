# SPDX-License-Identifier: GPL-2.0-or-later
# Without root: one message with what to do.
# expect: 1
# expect-re: ERROR: only root may load probes into the kernel.*
. "$TOP/testsuite/lib/script.sh"
echo 'probe begin { exit() }' > script.stp
$GUEST setpriv --reuid 65534 --clear-groups $STAPRUN $(module script.stp) > out 2>&1
echo $?
cat out
