# SPDX-License-Identifier: GPL-2.0-or-later
# Modules that are none of stap's are not loaded, whatever their init function would do; -A and -d leave them alone, and a
# second -A one that another loader is attached to.
# expect: ERROR: module stap_target is none of stap's: insmod(8) loads others
# expect: load 1
# expect: ERROR: module stap_target is none of stap's
# expect: -A 1
# expect: ERROR: module stap_target is none of stap's
# expect: -d 1
# expect: there
# expect: ERROR: cannot open /proc/stap-two: another staprun is attached to it
# expect: end
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
target stap_target
echo 'probe timer.s(60) { exit() } probe end { println("end") }' > script.stp
module script.stp -m two > /dev/null
cat > run.sh <<END
$STAPRUN ./stap_target.ko 2>&1
echo load \$?
insmod ./stap_target.ko
$STAPRUN -A stap_target 2>&1
echo -A \$?
$STAPRUN -d stap_target 2>&1
echo -d \$?
grep -q '^stap_target ' /proc/modules && echo there
rmmod stap_target
$STAPRUN -L ./two.ko > /dev/null
$STAPRUN -A two > /run/first & child=\$!
until [ -n "\$(awk '\$1 == "two" && \$3' /proc/modules)" ]; do sleep 0.1; done
$STAPRUN -A two 2>&1
kill \$child; wait \$child
cat /run/first; rm /run/first
END
$GUEST sh run.sh
modules_left
