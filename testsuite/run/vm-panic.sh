# SPDX-License-Identifier: GPL-2.0-or-later
# A command that is not done in time is ended, and what it waited for is told; a guest that panics is reported with what its kernel said, and
# status 125.
# kernels: 6.12
# skip-debug: one boot of its own is enough
# has-re: ^late: 123$
# has-re: ^stap-vm: the command is not done after 2 s$
# has-re: ^  [0-9]+ a \(name\), state S:$
# has-re: ^    .*nanosleep
# has-re: ^status 125$
# has-re: ^stap-vm: the guest died$
# has-re: Kernel panic - not syncing: sysrq triggered crash
$TOP/stap-vm start --socket $PWD/guest --kernel $RELEASE --parent $$ || exit 1
cp "$(command -v sleep)" './a (name)'
$TOP/stap-vm exec --socket $PWD/guest --timeout 2 -- './a (name)' 100 2>&1
echo "late: $?"
$TOP/stap-vm exec --socket $PWD/guest -- sh -c 'echo c > /proc/sysrq-trigger; sleep 10' 2>&1
echo "status $?"
