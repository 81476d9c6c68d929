# SPDX-License-Identifier: GPL-2.0-or-later
# A module with a name of its own (-m) runs once at a time; a second run is refused in words, and so is the name of a part of the kernel.
# expect-re: ERROR: the kernel refuses module mine: a module of that name is loaded already.*
# expect: status 1
# expect: first
# expect: ERROR: the kernel refuses module printk: a part of the kernel has that name; `stap -m' gives the module another
. "$TOP/testsuite/lib/script.sh"
echo 'probe begin { println("first") } probe timer.s(20) { exit() }' > script.stp
module script.stp -m mine > /dev/null
module script.stp -m printk > /dev/null
cat > run.sh <<END
$STAPRUN ./mine.ko > /run/first & child=\$!
until grep -q first /run/first; do sleep 0.1; done
$STAPRUN ./mine.ko 2>&1
echo status \$?
kill \$child; wait \$child
cat /run/first; rm /run/first
$STAPRUN ./printk.ko 2>&1 || :
END
$GUEST sh run.sh
