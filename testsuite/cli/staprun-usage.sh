# SPDX-License-Identifier: GPL-2.0-or-later
# staprun -V and -h answer with status 0; bad options with 1 and a word of what is wrong.
# expect-re: staprun \(version .*\)
# expect: 0
# expect: Usage: staprun [OPTIONS] MODULE [VAR=VALUE ...]
# expect: 1 ERROR: which module? (try `staprun -h')
# expect: 1 ERROR: -x takes the number of a process, not "many"
# expect: 1 ERROR: -x takes the number of a process, not "4294967297"
# expect: 1 ERROR: there is no process 4194303
# expect: 1 ERROR: there is no process 4194303
# expect: 1 semantic error: there is no process 4194303
# expect: 1 semantic error: there is no process 4194303
# expect: 1 ERROR: -T takes a number of seconds, not "-1"
# expect: 1 ERROR: -D needs a file for the output (-o FILE)
# expect: 1 ERROR: -S needs a file for the output (-o FILE)
$STAPRUN -V
echo $?
$STAPRUN -h | head -n 1
refused()
{
	message=$($STAPRUN "$@" 2>&1)
	echo "$? $message"
}
refused
refused -x many x.ko
refused -x 4294967297 x.ko
refused -x 4194303 x.ko
refused -n 4194303 x.ko
# ... before all else that a machine may lack
for option in "-x 4194303" --target-namespaces=4194303; do
	message=$($STAP $option -e 'probe begin { exit() }' 2>&1)
	echo "$? $message"
done
refused -T -1 x.ko
refused -D x.ko
refused -S 1,2 x.ko
