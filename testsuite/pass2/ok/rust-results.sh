# SPDX-License-Identifier: GPL-2.0-or-later
# $return of Rust's functions is refused where they return in another way than C's do.  C code whose debug information says that it is Rust.
# expect: two: semantic error: $return cannot be read: how Rust's functions return such a type is told nowhere
# expect: large: semantic error: $return cannot be read: how Rust's functions return such a type is told nowhere
# expect: words: probes
# expect: single: probes
# expect: plain: probes
cat > r.c <<'E'
struct two { int a; char b; }; struct words { long a, b; }; struct large { long a, b, c; }; struct single { double d; };
__attribute__((noinline)) struct two two(int n) { return (struct two){ n, n }; }
__attribute__((noinline)) struct words words(int n) { return (struct words){ n, n }; }
__attribute__((noinline)) struct large large(int n) { return (struct large){ n, n, n }; }
__attribute__((noinline)) struct single single(int n) { return (struct single){ n }; }
__attribute__((noinline)) int plain(int n) { return n; }
int main(void) { return two(1).a + words(1).a + large(1).a + (int)single(1).d + plain(3); }
E
gcc -g -O1 -S -dA r.c -o r.s && sed -i 's/\.byte[[:space:]]*0x[0-9a-f]*\([[:space:]]*# DW_AT_language\)/.byte 0x1c\1/' r.s && gcc r.s -o r || exit 1
for f in two large words single plain; do
	echo "$f: $($STAP -r $RELEASE -p2 -e "probe process(\"./r\").function(\"$f\").return { println(\$return\$) }" 2>&1 | sed 's/^# //' | grep -m1 -e '^semantic' -e '^probes')"
done
