# SPDX-License-Identifier: GPL-2.0-or-later
# -L leaves the module running and names it; -A attaches to it and ends it; -d removes one.
# Meanwhile the buffers keep the newest output.
# expect: named
# expect: running
# expect: begun
# expect: many
# expect: modules: none
# expect: removed
# expect: modules: none
# expect: 60000 is the newest, the oldest are gone
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global n
probe begin { println("begun") }
probe timer.ms(10) { n++ }
probe timer.s(1) { if (n) exit_soon++; if (exit_soon == 3) exit() }
global exit_soon
probe end { println(n > 50 ? "many" : sprint(n)) }
END
file=$(module script.stp)
cat > run.sh <<END
name=\$($STAPRUN -L $file)
case \$name in stap_*) echo named;; *) echo "name: \$name";; esac
sleep 0.3
grep -q "^\$name " /proc/modules && echo running
$STAPRUN -A \$name
END
$GUEST sh run.sh
modules_left
$GUEST sh -c "name=\$($STAPRUN -L $file); $STAPRUN -d \$name && echo removed"
modules_left
cat > much.stp <<'END'
global n
probe timer.ms(5) { for (i = 0; i < 200 && n < 60000; i++) printf("%099d\n", ++n) }
END
file=$(module much.stp)
cat > newest.sh <<END
name=\$($STAPRUN -L $file)
sleep 5
$STAPRUN -A -T 0.1 \$name > /tmp/newest
# two rings of a megabyte at most
awk '\$0 + 0 <= last { wrong = 1 } { last = \$0 + 0 }
END { print last, (NR > 5000 && NR < 20000 && !wrong) ? "is the newest, the oldest are gone" : NR " lines, wrong " wrong }' /tmp/newest
END
$GUEST sh newest.sh
modules_left
