# SPDX-License-Identifier: GPL-2.0-or-later
# --compatible: systemtap_v is that version, `private` a name before 3.0; versions to come, and none, are refused.
# expect: old new
# expect: private is a name
# expect: private is a word
# expect: status 1
# expect: status 1
# stderr: stap: --compatible=99.1: the newest version of the language known here is 5.6
# stderr: stap: --compatible takes a version of the language, such as 1.7, not "old"
# stderr-re: parse error: .*
cat > v.stp <<'END'
probe begin { println(%( systemtap_v <= "1.7" %? "old" %: "new" %)) }
END
for v in 1.7 1.8; do $STAP --compatible=$v -p1 v.stp | grep -o 'old\|new'; done | xargs echo
cat > p.stp <<'END'
global private
probe begin { private = 1; println(private) }
END
$STAP --compatible=2.9 -r $RELEASE -p2 p.stp > /dev/null && echo "private is a name"
$STAP -r $RELEASE -p2 p.stp > /dev/null || echo "private is a word"
for v in 99.1 old; do $STAP --compatible=$v -p1 v.stp; echo "status $?"; done
