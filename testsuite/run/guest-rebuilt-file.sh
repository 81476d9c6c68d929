# SPDX-License-Identifier: GPL-2.0-or-later
# A file that the host rewrites, or makes after the guest missed it, is seen as it is now.
# expect: old
# expect: new!
# expect: missing
# expect: made
echo old > file
$GUEST cat file
echo 'new!' > file
$GUEST cat file
$GUEST sh -c 'test -e later || echo missing'
echo made > later
$GUEST cat later
