# SPDX-License-Identifier: GPL-2.0-or-later
# Without a compiler: what is missing and how to get it.
# expect: 1
# expect-re: build error: .*not installed: stap needs gcc, binutils and make .*
# expect: Pass 4: compilation failed.
# expect: left: 0
mkdir tmp
PATH=/nonexistent TMPDIR=$PWD/tmp $STAP -p4 -r $RELEASE -e 'probe begin { println(50002) exit() }' 2> err
echo $?
cat err
echo "left: $(ls tmp | wc -l)"
