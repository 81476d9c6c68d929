# SPDX-License-Identifier: GPL-2.0-or-later
# A full disk, for temporary files or for the cache: said, status 1, nothing half-written stays.  So is a cache in a directory whose name make does not take.
# expect: TMPDIR: 1
# expect-re: .*error: no space left in .*: free some, or .*
# expect: left: 0 files
# expect: SYSTEMTAP_DIR: 1
# expect-re: .*error: no space left in .*: free some, or .*
# expect: left: 0 files
# expect-re: build error: make cannot work in '.*/a b/cache/.*': it takes no blanks and none of .*
mkdir tiny
cat > full.sh <<END
mount -t tmpfs -o size=\$2 none tiny || exit 1
export \$1=$PWD/tiny
$STAP -p4 -r $RELEASE -e "probe begin { println(\$3) exit() }" > /dev/null 2> err
echo "\$1: \$?"
grep -v -e '^Pass 4' -e '^building' err
# Locks are empty, and stay.
echo "left: \$(find tiny -type f -size +0 | wc -l) files"
END
root=-r
[ "$(id -u)" != 0 ] || root=
unshare $root -m sh full.sh TMPDIR 4k 50003
unshare $root -m sh full.sh SYSTEMTAP_DIR 64k 50004
SYSTEMTAP_DIR="$PWD/a b" $STAP -p4 -r $RELEASE -e 'probe begin { println(50005) exit() }' 2>&1 | grep make
