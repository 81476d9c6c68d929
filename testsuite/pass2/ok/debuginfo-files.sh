# SPDX-License-Identifier: GPL-2.0-or-later
# A module's debuginfo wherever it may be: compressed with the module, in a file of its own found by .gnu_debuglink or by build id;
# that of another build, damaged and missing ones: what is left out, and the words.
# timeout: 120
# expect: form -gdwarf-4: $limit:int $step:char[4] $total:long int $at:struct vars_node* $seen:int
# expect: form -gdwarf-5 -gz: $limit:int $step:char[4] $total:long int $at:struct vars_node* $seen:int
# expect: form -gsplit-dwarf: $limit:int $step:char[4] $total:long int $at:struct vars_node* $seen:int
# expect: type units: semantic error: the members of what $at is are in a type unit (-fdebug-types-section), and those of files that are not linked, as modules, are not read
# expect: xz: target_twin@main.c:16 target_twin@other.c:7
# expect: zst: target_twin@main.c:16 target_twin@other.c:7
# expect: gz: target_twin@main.c:16 target_twin@other.c:7
# expect: link: target_twin@main.c:16 target_twin@other.c:7
# expect: build id: target_twin@main.c:16 target_twin@other.c:7
# expect: stripped: needs debuginfo
# expect: other build: left out, both build ids named, 1 other probe
# expect: half a file: refused
# expect: garbage: refused
# expect: damaged: no crash
. $TOP/testsuite/lib/script.sh
target stap_target
unset DEBUGINFOD_URLS
# forms of debug information, at the places that the source names
form() { mkdir -p "$1" && cd "$1" && target stap_vars "$2"; }
form 4 -gdwarf-4 & form 5 '-gdwarf-5 -gz' & wait; form split -gsplit-dwarf & form units -fdebug-types-section & wait
loop="vars_scan@vars.c:`grep -n 'here: loop' 4/src-stap_vars/vars.c | cut -d: -f1`"
seen() { $STAP -r $RELEASE -L "module(\"$PWD/$1/stap_vars.ko\").statement(\"$loop\")" | sed "s/.*\") /form $2: /"; }
seen 4 -gdwarf-4; seen 5 '-gdwarf-5 -gz'; seen split -gsplit-dwarf
$STAP -r $RELEASE -p2 -e "probe module(\"$PWD/units/stap_vars.ko\").statement(\"$loop\") { println(\$at->word) }" 2>&1 | sed -n 's/^semantic/type units: &/p'
mkdir plain xz zst gz link id stripped other half garbage damaged
cp stap_target.ko plain
places() { $STAP -r $RELEASE -l "module(\"$PWD/$1\").function(\"target_twin@*\")" 2>&1 | sed 's/.*\(target_twin@\)[^"]*\/\([a-z.]*:[0-9]*\)".*/\1\2/' | xargs echo "$2:"; }
wrong() { $STAP -r $RELEASE -p2 -e "probe module(\"$PWD/$1\").statement(\"target_second@main.c:42\") { println(\$sum) }" > said 2>&1; test $? = 1; }
xz -k --stdout plain/stap_target.ko > xz/stap_target.ko.xz; places xz/stap_target.ko.xz xz
zstd -q --stdout plain/stap_target.ko > zst/stap_target.ko.zst; places zst/stap_target.ko.zst zst
gzip --stdout plain/stap_target.ko > gz/stap_target.ko.gz; places gz/stap_target.ko.gz gz
objcopy --only-keep-debug plain/stap_target.ko link/stap_target.debug
(cd link && objcopy -g --add-gnu-debuglink=stap_target.debug ../plain/stap_target.ko stap_target.ko); places link/stap_target.ko link
objcopy -g plain/stap_target.ko id/stap_target.ko
build=`readelf -n plain/stap_target.ko | sed -n 's/.*Build ID: //p'`
mkdir -p debug/.build-id/`echo $build | cut -c1-2`
cp link/stap_target.debug debug/.build-id/`echo $build | cut -c1-2`/`echo $build | cut -c3-`.debug
SYSTEMTAP_DEBUGINFO_PATH=$PWD/debug places id/stap_target.ko 'build id'
objcopy -g plain/stap_target.ko stripped/stap_target.ko
wrong stripped/stap_target.ko && grep -q 'needs debuginfo' said && echo stripped: needs debuginfo
# a debug file that .gnu_debuglink names, of another build
sed 's/doubled + 3/doubled + 4/' src-stap_target/main.c > main.c && mv main.c src-stap_target
make -s -C /lib/modules/$RELEASE/build M="$PWD/src-stap_target" modules > log 2>&1
objcopy --only-keep-debug src-stap_target/stap_target.ko other/stap_target.debug
(cd other && objcopy -g --add-gnu-debuglink=stap_target.debug ../plain/stap_target.ko stap_target.ko)
theirs=`readelf -n other/stap_target.debug | sed -n 's/.*Build ID: //p'`
$STAP -r $RELEASE -p2 -e "probe module(\"$PWD/other/stap_target.ko\").statement(\"target_second@main.c:42\") { println(1) } probe begin { println(2) }" > said 2>&1
grep -q "left out" said && grep "$build" said | grep -q "$theirs" && echo other build: left out, both build ids named, `grep -c "^begin" said` other probe
head -c `expr $(stat -c %s plain/stap_target.ko) / 2` plain/stap_target.ko > half/stap_target.ko
wrong half/stap_target.ko && grep -q 'half/stap_target.ko' said && echo half a file: refused
head -c 100000 /dev/urandom > garbage/stap_target.ko
wrong garbage/stap_target.ko && grep -q 'garbage/stap_target.ko is' said && echo garbage: refused
# each section of debug information, filled with bytes that make no sense
for section in info abbrev line str loclists rnglists; do
	objcopy --dump-section .debug_$section=bytes plain/stap_target.ko 2> /dev/null || continue
	tr '\000-\377' '\377\000-\376' < bytes > more
	objcopy --update-section .debug_$section=more plain/stap_target.ko damaged/stap_target.ko
	wrong damaged/stap_target.ko || $STAP -r $RELEASE -p2 -e "probe module(\"$PWD/damaged/stap_target.ko\").statement(\"target_second@main.c:42\") { println(1) }" > said 2>&1
	test $? -le 1 || echo $section: status $?
done
echo damaged: no crash
