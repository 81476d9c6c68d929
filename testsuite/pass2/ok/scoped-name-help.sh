# SPDX-License-Identifier: GPL-2.0-or-later
# A misspelt C++ name with scopes: the nearest one in these scopes is proposed, else by its plain name.  Operators of a library are listed
# such that each line, given back, means that function alone; all of them are on one line of the source.
# expect: did you mean 'outer::Box::area'?
# expect: did you mean 'Box::area'?
# expect: did you mean 'area'?
# expect: function("operator[]@num.cc:1"): operator[]
# expect: function("operator\\*@num.cc:1"): operator\\*
# expect: function("operator\\*=@num.cc:1"): operator\\*=
# expect: function("operator->\\*@num.cc:1"): operator->\\*
# expect: operator*: operator->\\* operator[] operator\\* operator\\*=
# expect: num::operator\\*: operator\\*
# expect: num::operator\\*?: operator\\*=
# expect: operator\\?: no function matches 'operator\?' in libnum.so
cat > prog.cc <<'E2'
namespace outer { struct Box { int w; int area(int k); }; }
int outer::Box::area(int k) { return w * k; }
int main(int argc, char **argv) { outer::Box b = { argc }; return b.area(2); }
E2
g++ -g -O1 -o prog prog.cc
for name in outer::Box::are Box::aera outr::Box::area; do
	$STAP -r $RELEASE -l "process(\"./prog\").function(\"$name\")" 2>&1 | sed -n 's/^  help: //p'
done
cat > num.cc <<'E2'
struct num { int v; num operator*(int n); num &operator*=(int n); int operator->*(int n); int &operator[](int n); }; num num::operator*(int n) { return num{v * n}; } num &num::operator*=(int n) { v *= n; return *this; } int num::operator->*(int n) { return v + n; } int &num::operator[](int n) { return v; }
E2
g++ -g -O1 -fPIC -shared -o libnum.so num.cc
names() { $STAP -r $RELEASE -l "$1" 2>&1 | sed -n "s,^semantic error: \(.*\)$PWD/,\1,p; s/.*function(\"\([^@]*\)@.*/\1/p" | LC_ALL=C sort | xargs -rd '\n' echo; }
$STAP -r $RELEASE -l 'process("./libnum.so").function("*operator*")' > list
for which in '\[' 'r..\*@' '\*=' '->'; do
	line=$(grep -e "$which" list)
	printf '%s: %s\n' "$line" "$(names "$line")" | sed "s,$PWD/,,g; s/^process(\"libnum.so\").//"
done
for pattern in 'operator*' 'num::operator\\*' 'num::operator\\*?' 'operator\\?'; do
	printf '%s: %s\n' "$pattern" "$(names "process(\"./libnum.so\").function(\"$pattern\")")"
done
