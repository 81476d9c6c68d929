# SPDX-License-Identifier: GPL-2.0-or-later
# -L leaves the module running and names it; -A attaches to it and ends it; -d removes one.
# expect: named
# expect: running
# expect: many
# expect: modules: none
# expect: removed
# expect: modules: none
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
global n
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
