# SPDX-License-Identifier: GPL-2.0-or-later
# The examples about user programs, on a program whose memory and time are known.
# timeout: 240
# expect: 4000 bytes in 4 blocks from keep_some
# expect: 800 bytes in 2 blocks from keep_zeroed
# expect: folded: slow more than quick
# expect: latency: main 1 slow_part 1 quick_part 1
. $TOP/testsuite/lib/script.sh
trigger leaky
libc=$(ldd ./leaky | sed -n 's/^.*libc.so.6 => \([^ ]*\).*/\1/p')
ko=$(module $TOP/examples/leaks.stp $libc -m stap_leaks)
$GUEST $STAPRUN $PWD/$ko -c "$PWD/leaky"
ko=$(module $TOP/examples/user-profile.stp -m stap_uprofile)
$GUEST $STAPRUN $PWD/$ko -c "$PWD/leaky 3" > folded
awk '/^leaky;.*main;quick_part/ { quick += $NF } /^leaky;.*main;slow_part/ { slow += $NF }
	END { print "folded: slow " (quick > 20 && slow > 1.3 * quick ? "more than" : slow ", not more than") " quick" (quick > 20 ? "" : " " quick) }' folded
ko=$(module $TOP/examples/program-latency.stp $PWD/leaky -m stap_platency)
$GUEST $STAPRUN $PWD/$ko -c "$PWD/leaky 1" > latency
awk '$1 == "main" || $1 ~ /_part$/ { s = s " " $1 " " $2 } END { print "latency:" s }' latency
