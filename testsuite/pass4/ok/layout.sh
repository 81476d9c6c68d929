# SPDX-License-Identifier: GPL-2.0-or-later
# Headers of another build than the kernel: an error that names both, not a crash later.
# expect-re: offset: 1 .*error: the headers in .* are of another build than the kernel .*: member pid of struct task_struct is at 12 in the headers and at [0-9]+ in the kernel; .*
# expect-re: size: 1 .*error: the headers in .*: struct kprobe has 8 bytes in the headers and [0-9]+ in the kernel; .*
# expect: right: 0
if [ -n "$SYSTEMTAP_DIR" ]; then
	cache=$SYSTEMTAP_DIR/cache
elif [ "$(id -u)" = 0 ]; then
	cache=/var/cache/stap
else
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/stap
fi
# A copy of the newest runtime, to be told lies about.
SYSTEMTAP_DIR=$PWD/own
export SYSTEMTAP_DIR
script='probe begin { println(7313) exit() }'
mkdir -p own/cache/runtime own/cache/kits
chmod -R go-w own
cp -rp "$cache"/kits/$RELEASE-* own/cache/kits
cp -rp "$(ls -td "$cache"/runtime/$RELEASE-* | head -n 1)" own/cache/runtime
cp own/cache/runtime/*/layout table
try()
{
	sed "$2" table > layout
	cp layout own/cache/runtime/*/layout
	text=$($STAP -p4 -r $RELEASE -e "$script" 2>&1 >/dev/null)
	echo "$1: $? $(echo "$text" | head -n 1)" | sed 's/ $//'
}
try offset 's/^task_struct pid .*/task_struct pid 12/'
try size 's/^kprobe - .*/kprobe - 8/'
try right ''
