# SPDX-License-Identifier: GPL-2.0-or-later
# A module made for another kernel is refused in words.
# expect: status 1
# expect-re: ERROR: module stap_\w+ was made for kernel 9\.9.*, and this is .*: build it again with `stap -r .*'
. "$TOP/testsuite/lib/script.sh"
echo 'probe begin { exit() }' > script.stp
file=$(module script.stp)
# vermagic starts with the release: another one of the same length
LC_ALL=C sed "s/vermagic=[0-9]\.[0-9]/vermagic=9.9/" $file > other.ko
$GUEST $STAPRUN ./other.ko > out 2>&1
echo "status $?"
cat out
