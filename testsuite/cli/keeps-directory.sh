# SPDX-License-Identifier: GPL-2.0-or-later
# -k keeps the directory with the generated C and names it; without, nothing stays in TMPDIR.
# expect: kept
# expect: left: 0
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
$STAP -k -p4 -r $RELEASE -e 'probe begin { println(50005) exit() }' > /dev/null 2> err
dir=$(sed -n 's/^Keeping temporary directory "\(.*\)"$/\1/p' err)
ls "$dir"/*.c > /dev/null && echo kept
rm -r "$dir"
$STAP -p4 -r $RELEASE -e 'probe begin { println(50006) exit() }' > /dev/null
echo "left: $(ls tmp | wc -l)"
