# SPDX-License-Identifier: GPL-2.0-or-later
# A command in the guest has our streams, directory, environment and status.
# expect: in: one line
# expect: out
# expect: here
# expect: value of FOO
# expect: status 7
# stderr: err
FOO='value of FOO'
export FOO
touch mark-of-this-directory
echo 'one line' | $GUEST sed 's/^/in: /'
$GUEST sh -c 'echo out; echo err >&2'
$GUEST sh -c 'test -e mark-of-this-directory && echo here; echo "$FOO"'
$GUEST sh -c 'exit 7'
echo "status $?"
