#!/bin/sh
# Library files of -I: private names, macros, sub-directories, and a broken file that nobody needs.
# has-re: lib_f:long \(\)
# has-re: arch_f:long \(\)
# has-re: ver_f:long \(\)
# lacks-re: broken
# stderr-re: unresolved function 'other_version'
# status: 0
set -e
version=${RELEASE%%-*}; version=${version%%+*}
mkdir -p lib/x86_64 "lib/$version" lib/1.2
echo 'function broken( {' > lib/broken.stp
cat > lib/lib.stp <<'END'
private global hidden = 7
private function helper() { return hidden }
function lib_f() { return helper() }
probe lib.point = begin { name = "point"; n = hidden }
END
echo '@define twice(x) %( (@x * 2) %)' > lib/m.stpm
echo 'function arch_f() { return 1 }' > lib/x86_64/a.stp
echo 'function ver_f() { return 1 }' > "lib/$version/a.stp"
echo 'function other_version() { return 1 }' > lib/1.2/a.stp
echo 'probe two.first = two.second = begin { m = 1 } probe two.third += two.first { }' > lib/two.stp
$STAP -r $RELEASE -p2 -I lib -e 'probe two.first, two.second, two.third { println(m) }' > /dev/null
$STAP -r $RELEASE -p2 -I lib -e 'probe lib.* { println(name, n, lib_f(), @twice(4), arch_f(), ver_f()) }'
if $STAP -r $RELEASE -p2 -I lib -e 'probe begin { other_version() }'; then exit 1; fi
if $STAP -r $RELEASE -p2 -I lib -e 'probe begin { println(helper()) }' 2> private; then exit 1; fi
grep -q "unresolved function 'helper'" private
