# SPDX-License-Identifier: GPL-2.0-or-later
# Of the runtime only what a script needs is compiled: a few units for hello world, more for others, none twice; a module has
# the same in it as one linked from the whole, which --prep makes.
# timeout: 200
# expect: hello world: few
# expect: again: none
# expect: with a map: more
# expect: damaged: compiled anew
# expect: whole
# expect: same symbols
mkdir -p dir/cache
[ ! -d "$SYSTEMTAP_DIR/cache/kits" ] || cp -rp "$SYSTEMTAP_DIR/cache/kits" dir/cache
export SYSTEMTAP_DIR="$PWD/dir"
build() { $STAP -r $RELEASE -p4 "$@" 2> err || { cat err >&2; exit 1; }; }
objects() { ls dir/cache/runtime/*/objects | wc -l; }
states() { stat -c '%n %i' dir/cache/runtime/*/objects/*; }
symbols() { nm "$1" | awk '{ print $(NF - 1), $NF }' | sort; }
hello='probe begin { println("hello") }'
map='global n probe kernel.function("vfs_read") { n[execname()]++ }'

build -e "$hello" > /dev/null
few=$(objects)
[ "$few" -gt 4 ] && [ "$few" -lt 20 ] && echo "hello world: few"
states > before
build -e 'probe begin { println("hello again") }' > /dev/null
states | cmp - before && echo "again: none"
first=$(build -e "$map")
[ "$(objects)" -gt $((few + 5)) ] && echo "with a map: more"

# An object that a crash cut short.
truncate -s 100 dir/cache/runtime/*/objects/lifecycle.cold.o
build -e 'probe begin { println("hello after a crash") }' > /dev/null &&
	[ "$(stat -c %s dir/cache/runtime/*/objects/lifecycle.cold.o)" -gt 1000 ] && echo "damaged: compiled anew"

symbols "$first" > parts
export SYSTEMTAP_DIR="$STAP_WORK/stapdir"
whole=$(build -e "$map")
[ -n "$(find "$SYSTEMTAP_DIR"/cache/runtime/$RELEASE-*/runtime.a -size +0)" ] && echo "whole"
symbols "$whole" > all
[ "$(wc -l < all)" -gt 50 ] && cmp parts all && echo "same symbols"
