# SPDX-License-Identifier: GPL-2.0-or-later
# What cannot work: one message each, status 1, and no temporary files left.
# expect: no file: 1 parse error: cannot open '/no/such.stp': No such file or directory
# expect: a directory: 1 parse error: cannot read '.': Is a directory
# expect-re: no headers: 1 build error: no headers for kernel 4\.4\.0-none: no package of this distribution has that kernel; what they are made from is the directory in which it was built, or name .*
# expect-re: no temporary directory: 1 .*error: cannot make a temporary directory in /nonexistent: .*
# expect: a wrong pass: 1 stap: -p takes a number from 1 to 5, not "9"
# expect-re: no script: 1 stap: a script is needed: .*
# expect-re: another backend: 1 stap: --bpf: .*
# expect: an unknown option: 1 stap: there is no option --nosuch (see stap --help)
# expect: a misspelt option: 1 stap: there is no option --skip-badvras; did you mean --skip-badvars? (see stap --help)
# expect: a letter: 1 stap: there is no option -Z (see stap --help)
# expect: no argument: 1 stap: -p needs an argument
# expect: an argument too many: 1 stap: --prep takes no argument
# expect: flight recorder: 1 stap: -F without -o leaves the probes running by themselves: -c needs -o FILE beside it
# expect-re: nothing to list: 1 semantic error: no function 'no_such_function_at_all' in kernel .*
# expect: no such global: 1 semantic error: -G cuont=5: the script has no such global
# expect: left: 0
TMPDIR=$PWD/tmp
export TMPDIR
mkdir tmp
# First line of what it says; which pass failed is said behind that.
refused()
{
	what=$1
	shift
	"$@" > out 2>&1 < /dev/null
	echo "$what: $? $(head -n 1 out)" | sed 's/ $//'
}
refused 'no file' $STAP -p4 -r $RELEASE /no/such.stp
refused 'a directory' $STAP -p4 -r $RELEASE .
refused 'no headers' $STAP -p4 -r 4.4.0-none -e 'probe begin { exit() }'
refused 'no temporary directory' env TMPDIR=/nonexistent $STAP -p4 -r $RELEASE -e 'probe begin { println(50001) }'
refused 'a wrong pass' $STAP -p9 -e 'probe begin { exit() }'
refused 'no script' $STAP
refused 'another backend' $STAP --bpf -e 'probe begin { exit() }'
refused 'an unknown option' $STAP --nosuch
refused 'a misspelt option' $STAP --skip-badvras
refused 'a letter' $STAP -Z
refused 'no argument' $STAP -p
refused 'an argument too many' $STAP --prep=now
refused 'flight recorder' $STAP -F -c true -e 'probe begin { }'
refused 'nothing to list' $STAP -r $RELEASE -l 'kernel.function("no_such_function_at_all")'
refused 'no such global' $STAP -r $RELEASE -p2 -G cuont=5 -e 'global count probe begin { println(count++) }'
grep -q "help: did you mean 'count'?" out || echo no help
echo "left: $(ls tmp | wc -l)"
