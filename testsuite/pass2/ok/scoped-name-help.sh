# SPDX-License-Identifier: GPL-2.0-or-later
# A misspelt C++ name with scopes: the nearest one in these scopes is proposed, else by its plain name.
# expect: did you mean 'outer::Box::area'?
# expect: did you mean 'Box::area'?
# expect: did you mean 'area'?
cat > prog.cc <<'E2'
namespace outer { struct Box { int w; int area(int k); }; }
int outer::Box::area(int k) { return w * k; }
int main(int argc, char **argv) { outer::Box b = { argc }; return b.area(2); }
E2
g++ -g -O1 -o prog prog.cc
for name in outer::Box::are Box::aera outr::Box::area; do
	$STAP -r $RELEASE -l "process(\"./prog\").function(\"$name\")" 2>&1 | sed -n 's/^  help: //p'
done
