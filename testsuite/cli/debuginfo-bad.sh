# SPDX-License-Identifier: GPL-2.0-or-later
# Sources of debug information and types that are no good: servers that hang, trickle, answer nonsense or what has no debug information, places
# that may not be read, damaged BTF, .dwo and dwz files that are missing, a debug file of another build. A message names the file and the
# way out.
# timeout: 120
# expect-re: hangs: no debug information here \(the server of DEBUGINFOD_URLS, http://127.0.0.1:\d+/hang, sent nothing for 1 s; DEBUGINFOD_TIMEOUT=SECONDS changes that\)
# expect-re: stalls: no debug information here \(the server of DEBUGINFOD_URLS, http://127.0.0.1:\d+/stall, sent nothing for 1 s; DEBUGINFOD_TIMEOUT=SECONDS changes that\)
# expect-re: nonsense: no debug information here \(\S*/debuginfo is not an ELF file; passed over: the servers of DEBUGINFOD_URLS sent it, remove it to ask them again\)
# expect-re: useless: no debug information here \(\S*/debuginfo has no debug information in it; passed over: the servers of DEBUGINFOD_URLS sent it, remove it to ask them again\)
# expect-re: refused: no debug information here \(the servers of DEBUGINFOD_URLS, http://127.0.0.1:\d+/error, do not have it: .*\)
# expect-re: program: .* has none \(the servers of DEBUGINFOD_URLS, http://127.0.0.1:\d+/error, do not have it: .*\)
# expect: on a terminal: asking for debug information of the kernel: 1 s
# expect: signal 2 after ^C, at once
# expect: directory: no debug information here (CWD/denied: Permission denied)
# expect-re: help: no package of this distribution has that kernel; .* as vmlinux-9\.9\.9-none into a directory that SYSTEMTAP_DEBUGINFO_PATH names
# expect: no types: no types of kernel 9.9.9-none: neither its BTF nor a boot image or vmlinux was found; a copy of its /sys/kernel/btf/vmlinux as /boot/btf-9.9.9-none will do
# expect: garbage: no types of kernel 9.9.9-none: CWD/tree/boot/btf-9.9.9-none: this is not BTF
# expect: cut off: no types of kernel 9.9.9-none: CWD/tree/boot/btf-9.9.9-none: the BTF is cut off or its header damaged
# expect-re: damaged: no types of kernel 9\.9\.9-none: CWD/tree/boot/btf-9\.9\.9-none: BTF type 1 is of kind \d+, which is not known here
# expect: not readable: no types of kernel 9.9.9-none: CWD/tree/boot/btf-9.9.9-none: Permission denied
# expect: whole: $parameter:int
# expect-re: split: WARNING: 1 of 1 units of CWD/split have their debug information in \.dwo files that are not here \(\S*\.dwo; packages of them, \.dwp, are not read\): it is missing
# expect-re: split: help: the debug information of this function is in \S*\.dwo, which is not here
# expect-re: dwz: WARNING: CWD/one shares debug information with common \(build id [0-9a-f]+\), which is not here; names and types may be missing
# expect-re: other build: WARNING: CWD/other\.debug is of another build: its build id is [0-9a-f]{40}, CWD/other has [0-9a-f]{40}; passed over; this probe is left out
python3 $TOP/testsuite/cli/data/server.py port &
server=$!
trap 'kill $server 2> /dev/null' EXIT
while ! test -f port; do sleep 0.05; done
export DEBUGINFOD_CACHE_PATH=$PWD/dcache DEBUGINFOD_TIMEOUT=1
point='probe kernel.statement("vfs_read@fs/read_write.c:460") { println(1) }'
ask() { rm -rf dcache; DEBUGINFOD_URLS=http://127.0.0.1:`cat port`/$1 $STAP -r $RELEASE -p2 -e "$point" > said 2>&1; sed -n "s|^semantic error.*kernel [^ ]* has|$2: has|; s|: has no debug|: no debug|p" said; }
ask hang hangs
ask stall stalls
ask nonsense nonsense
ask useless useless
ask error refused
echo 'int one(int parameter) { int twice = parameter * 2; return twice + 1; } int main(int c, char **v) { return one(c); }' > one.c
gcc -Wl,--build-id -o plain one.c
DEBUGINFOD_URLS=http://127.0.0.1:`cat port`/error $STAP -r $RELEASE -p2 -e 'probe process("./plain").statement("one@one.c:1") { println(1) }' 2>&1 | sed -n 's/^semantic error/program/p'
rm -rf dcache
DEBUGINFOD_TIMEOUT=500 DEBUGINFOD_URLS=http://127.0.0.1:`cat port`/hang python3 $TOP/testsuite/cli/data/interrupt.py ': 1 s' \
	$STAP -r $RELEASE -p2 -e "$point" | sed -n 's/^asking.* 1 s/on a terminal: &/; s/\^C$//; /^on a/p; /^signal/p' | uniq
kill $server
unset DEBUGINFOD_URLS

# a kernel that is nothing but a name
build=tree/lib/modules/9.9.9-none/build btf=tree/boot/btf-9.9.9-none
mkdir -p $build/include/generated $build/include/config tree/boot denied/boot nobody
touch $build/Makefile $build/include/generated/autoconf.h denied/boot/vmlinux-9.9.9-none
echo 9.9.9-none > $build/include/config/kernel.release
gcc -gbtf -c -o btf.o one.c && objcopy -O binary -j .BTF --set-section-flags .BTF=alloc btf.o whole
short() { sed "s|$PWD/|CWD/|g; s|^semantic error|$1|; s|^  help|help|" | grep "^$1\|^help"; }
as_user() { if [ `id -u` = 0 ]; then setpriv --reuid 65534 --clear-groups env SYSTEMTAP_DIR=$PWD/nobody $STAP "$@"; else $STAP "$@"; fi; }
chmod 0 denied; chmod 777 nobody
types() { $STAP -r $build -p2 -e 'probe kernel.function("one") { println($parameter) }' 2>&1 | short "$1"; }
cp whole $btf
SYSTEMTAP_DEBUGINFO_PATH=$PWD/denied as_user -r $build -p2 -e "$point" 2>&1 | short directory | sed 's/: .* has no debug/: no debug/'
rm $btf; types 'no types'
head -c 100000 /dev/urandom > $btf; types garbage
head -c 100 whole > $btf; types 'cut off'
{ head -c 31 whole; printf '\377'; tail -c +33 whole; } > $btf; types damaged
cp whole $btf; chmod 0 $btf
as_user -r $build -p2 -e 'probe kernel.function("one") { println($parameter) }' 2>&1 | short 'not readable'
chmod 644 $btf
$STAP -r $build -L 'kernel.function("one")' | sed 's/.*) \$/whole: $/'

# programs
user() { $STAP -r $RELEASE -p2 -e "probe process(\"./$1\").statement(\"one@one.c:1\") { println(\$twice) }" 2>&1 | sed "s|^WARNING|$2: &|; s|^  help|$2: &|; s|$PWD/|CWD/|g; s|^semantic error|$2|; s|:   help|: help|" | grep "^$2"; }
gcc -g -gsplit-dwarf -o split one.c && rm *.dwo
user split split | grep -v 'no variable'
gcc -g -gdwarf-4 -o one one.c && cp one two && dwz -m common one two && mv common away
user one dwz | grep WARN
gcc -g -O0 -o other one.c && objcopy --only-keep-debug other other.debug && gcc -g -O2 -o other one.c && objcopy -g --add-gnu-debuglink=other.debug other
user other 'other build' | grep 'build id'
chmod 755 denied
