# SPDX-License-Identifier: GPL-2.0-or-later
# TERM reaches the command; a command that a signal kills has a shell's status; a client that
# is killed takes its command along.
# expect: term
# expect: status 3
# expect: status 137
# expect: gone
$GUEST sh -c 'trap "echo term; exit 3" TERM; touch /run/ready; while :; do sleep 0.1; done' &
client=$!
$GUEST sh -c 'until test -e /run/ready; do sleep 0.1; done; rm /run/ready'
kill -TERM $client
wait $client
echo "status $?"
$GUEST sh -c 'kill -KILL $$'
echo "status $?"
$GUEST sh -c 'touch /run/ready; exec sleep 4321' &
client=$!
$GUEST sh -c 'until test -e /run/ready; do sleep 0.1; done; rm /run/ready'
# The script is sh; the client is what it became.
kill -KILL $client
wait $client 2> wait.err
$GUEST sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	grep -qzx 4321 /proc/[0-9]*/cmdline 2> /dev/null || { echo gone; exit; }; sleep 0.2; done; echo there'
