# SPDX-License-Identifier: GPL-2.0-or-later
# --version in the form that scripts scan; systemtap_v is that version.
# has-re: \(version 5\.6/
# has-re: ^ok$
# has-re: ^0$
$STAP --version
echo $?
$STAP -p1 -e 'probe begin { %( systemtap_v >= "5.6" && systemtap_v < "5.7" %? println("yes") %: println("no") %) }' | grep -q yes && echo ok
