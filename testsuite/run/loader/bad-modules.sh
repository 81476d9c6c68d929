# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are no module of ours are refused with one message each, status 1.
# expect: missing 1 ERROR: cannot open ./missing.ko: No such file or directory
# expect: text 1 ERROR: ./text.ko is not a module file for this machine
# expect: empty 1 ERROR: ./empty.ko is not a module file for this machine
# expect: directory 1 ERROR: ./directory.ko is not a module file
# expect-re: name 1 ERROR: there is no module /lib/modules/.*/systemtap/no_such_name.ko \(No such file or directory\)
# expect: truncated: all refused
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
echo 'probe begin { exit() }' > script.stp
file=$(module script.stp)
echo 'no module' > text.ko
: > empty.ko
mkdir -p directory.ko
refused()
{
	message=$($GUEST $STAPRUN "$2" 2>&1 < /dev/null)
	echo "$1 $? $message"
}
for name in missing text empty directory; do refused $name ./$name.ko; done
refused name no_such_name
size=$(wc -c < $file)
for part in 1 2 3 4 5 6 7 8 9; do head -c $((size * part / 10)) $file > cut$part.ko; done
$GUEST sh -c "for part in 1 2 3 4 5 6 7 8 9; do $STAPRUN ./cut\$part.ko 2> /run/err && echo cut\$part ran
	[ \$(wc -l < /run/err) = 1 ] || cat /run/err; done; echo truncated: all refused"
modules_left
