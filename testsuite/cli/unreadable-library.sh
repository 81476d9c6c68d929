# SPDX-License-Identifier: GPL-2.0-or-later
# A directory or file of the script library that may not be read is told of, once; what can be read is used.
# expect: 0
# expect-re: WARNING: a part of the script library is left out: .*/library/a\.stp.*Permission denied
# expect: 0
# expect-re: WARNING: a part of the script library is left out: .*/library.*Permission denied
as_anybody() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}
mkdir library
echo 'function one() { return 1 }' > library/a.stp
echo 'function two() { return 2 }' > library/b.stp
echo 'function three() { return 3 }' > library/c.stp
chmod 0 library/a.stp library/c.stp
as_anybody "$STAP" -p2 -I library -e 'probe begin { print(two()) }' > /dev/null 2> err
echo $?
cat err
chmod 0 library
as_anybody "$STAP" -p2 -I library -e 'probe begin { exit() }' > /dev/null 2> err
echo $?
cat err
chmod 755 library
