# SPDX-License-Identifier: GPL-2.0-or-later
# Random printf, string functions and statistics against models of their own in data/models.c.
# expect: same
. $TOP/testsuite/lib/script.sh
cc -O1 -o models "$TOP/testsuite/run/language/data/models.c" || exit 1
for seed in 1 2; do
	./models $seed 400 script > script.stp
	./models $seed 400 wanted > wanted
	ko=$(module script.stp -w --no-global-var-display)
	$GUEST $STAPRUN $ko > got || exit 1
	diff -a wanted got >&2 || exit 1
done
echo same
