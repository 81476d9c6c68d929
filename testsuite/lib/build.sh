# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh DIR: runs DIR/build.sh for the suite and leaves what it printed beside it.
# The status comes last and by rename: whoever waits for it sees the rest whole.
sh "$1/build.sh" < /dev/null > "$1/build.out" 2> "$1/build.err"
echo $? > "$1/build.status.new"
mv "$1/build.status.new" "$1/build.status"
