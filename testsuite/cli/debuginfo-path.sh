# SYSTEMTAP_DEBUGINFO_PATH names directories with debuginfo: what is there is checked, and indexed ahead of time.
# has-re: ^ +kernel \S+ has no debug information here \(\S*/debug/boot/vmlinux-\S+ is not a usable ELF file: .*\): .*$
# has-re: ^ +kernel \S+ has no debug information here \(\S*/debug/boot/vmlinux-\S+ is of another build: its build id is 0123456789abcdef, not [0-9a-f]{40}\): (install|set) .*$
# has-re: ^debuginfo +\S*/debug/boot/vmlinux-\S+$
# has-re: ^index +built in [0-9.]+ s: \d+ functions in \d+ units$
# has-re: ^index +already there: \d+ functions in \d+ units$
mkdir -p debug/boot
image=debug/boot/vmlinux-$RELEASE
unset DEBUGINFOD_URLS
prep() { SYSTEMTAP_DEBUGINFO_PATH="+:.debug:$PWD/debug:build" "$STAP" --prep -r "$RELEASE"; }
echo 'int main(void) { return 0; }' > fake.c
for i in $(seq 2000); do echo "int g$i(int x) { return x + $i; }"; done >> fake.c
echo > "$image"
prep
gcc -g -Wl,--build-id=0x0123456789abcdef -o "$image" fake.c
prep
# without a build id nobody can say that it is wrong
gcc -g -Wl,--build-id=none -o "$image" fake.c
prep
prep
