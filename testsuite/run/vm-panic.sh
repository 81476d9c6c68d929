# SPDX-License-Identifier: GPL-2.0-or-later
# A guest that panics is reported with what its kernel said, and status 125.
# kernels: 6.12
# skip-debug: one boot of its own is enough
# has-re: ^status 125$
# has-re: ^stap-vm: the guest died$
# has-re: Kernel panic - not syncing: sysrq triggered crash
$TOP/stap-vm run --kernel $RELEASE -- sh -c 'echo c > /proc/sysrq-trigger; sleep 10' 2>&1
echo "status $?"
