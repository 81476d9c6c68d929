# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 200
# -r takes the start of an installed kernel's release; 6.1 is none of 6.12, and what is not installed stays as it was named.
# expect: same
# expect: other
# expect: status 1
# stderr-re: .*no headers for kernel 4\.0.*
short=$(echo "$RELEASE" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
$STAP -r "$short" -p4 -m short_one -e 'probe begin { println(1) }' > /dev/null || exit 1
modinfo -F vermagic ./short_one.ko 2> /dev/null | grep -qF "$RELEASE " && echo same
$STAP -r "${short%?}" -p2 -e 'probe begin { println(1) }' > /dev/null 2> err || grep -q "no headers" err && echo other
$STAP -r 4.0 -p4 -e 'probe begin { println(1) }' > /dev/null
echo "status $?"
