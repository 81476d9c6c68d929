# SYSTEMTAP_DEBUGINFO_PATH names directories with debuginfo.
# has-re: ^debuginfo +\S*/debug/boot/vmlinux-.*$
mkdir -p debug/boot
echo > "debug/boot/vmlinux-$RELEASE"
SYSTEMTAP_DEBUGINFO_PATH="+:.debug:$PWD/debug:build" "$STAP" --prep -r "$RELEASE"
