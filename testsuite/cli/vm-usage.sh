# SPDX-License-Identifier: GPL-2.0-or-later
# What stap-vm refuses.
# expect: status 2
# expect: status 2
# expect: status 125
# stderr: stap-vm: no program to run (stap-vm --help tells how)
# stderr: stap-vm: frobnicate (stap-vm --help tells how)
# stderr: stap-vm: no guest at ./none: No such file or directory
$TOP/stap-vm run
echo "status $?"
$TOP/stap-vm frobnicate
echo "status $?"
$TOP/stap-vm exec --socket ./none -- true
echo "status $?"
