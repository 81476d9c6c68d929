# SPDX-License-Identifier: GPL-2.0-or-later
# Ten megabytes pass in each direction, whole; and two commands run at the same time.
# expect: 10000000
# expect: 10000000
# expect: both
$GUEST head -c 10000000 /dev/zero | wc -c
head -c 10000000 /dev/zero | $GUEST wc -c
$GUEST sh -c 'until test -e /run/second; do sleep 0.1; done; echo both' &
$GUEST touch /run/second
wait
$GUEST rm /run/second
