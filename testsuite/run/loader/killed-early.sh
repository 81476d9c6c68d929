# SPDX-License-Identifier: GPL-2.0-or-later
# A loader killed while a begin probe runs, or while its output waits: the module is gone soon after.
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe begin { for (i = 0; i < 1000000; i++) printf("%d ..........................................................\n", i) }
END
$GUEST sh -c "mkfifo /run/fifo; $STAPRUN $(module script.stp -DMAXACTION=10000000) > /run/fifo & child=\$!
	exec 3< /run/fifo; sleep 2; kill -KILL \$child; wait \$child; rm /run/fifo" < /dev/null 2> /dev/null
modules_left
