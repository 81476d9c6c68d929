# A library directory may hold embedded C without -g; what is not used of it is not compiled.
lib=$TOP/testsuite/pass4/ok/data/embedded
"$STAP" -r "$RELEASE" -I "$lib" -p3 -e 'probe begin { println(lib_sum(2, 3)) exit() }' > c || exit 1
grep -q 'lib_add(int a' c || { echo 'the code at top level is missing'; exit 1; }
! grep -q 'not C' c || { echo 'an unused function is there'; exit 1; }
"$STAP" -r "$RELEASE" -I "$lib" -p4 -e 'probe begin { println(lib_sum(2, 3)) exit() }' > ko || exit 1
