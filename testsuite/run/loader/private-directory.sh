# SPDX-License-Identifier: GPL-2.0-or-later
# Programs have names also where the loader is in a directory that is root's alone, and so are its files; what makes the tables of
# names runs as nobody all the same.
# expect: private
# expect: named
# expect: as nobody: 65534 65534, may gain nothing: 1
. "$TOP/testsuite/lib/script.sh"
cat > script.stp <<'END'
probe process("/bin/sleep").library("libc.so.6").function("clock_nanosleep") { println(usymname(uaddr()) =~ "clock_nanosleep" ? "named" : usymname(uaddr())) }
END
cat > run.sh <<END
umask 077
mkdir /run/private
cp $STAPRUN $(dirname $STAPRUN)/stap-tables /run/private
setpriv --reuid 65534 --clear-groups ls /run/private > /dev/null 2>&1 || echo private
/run/private/staprun -c 'sleep 2' $(module script.stp) &
until helper=\$(grep -lx stap-tables /proc/[0-9]*/comm 2> /dev/null); do sleep 0.1; done
status=\${helper%/comm}/status
until grep -q '^Uid:.*65534' \$status; do sleep 0.05; done
awk '/^Uid/ { u = \$2 } /^Gid/ { g = \$2 } /^NoNewPrivs/ { n = \$2 } END { print "as nobody: " u " " g ", may gain nothing: " n }' \$status > /run/helper
wait
cat /run/helper
rm -r /run/private
END
$GUEST sh run.sh
