# SPDX-License-Identifier: GPL-2.0-or-later
# A script that may not be read.
# expect: 1
# expect: parse error: cannot open 'script.stp': Permission denied
# expect: Pass 1: parse failed.
echo 'probe begin { exit() }' > script.stp
chmod 0 script.stp
if [ "$(id -u)" = 0 ]; then
	setpriv --reuid 65534 --clear-groups $STAP -p1 script.stp > /dev/null 2> err
else
	$STAP -p1 script.stp > /dev/null 2> err
fi
echo $?
cat err
