# SPDX-License-Identifier: GPL-2.0-or-later
# The fuzzer's corpus through passes 1 to 3: C, or errors that have a position.
# expect: done
for file in "$TOP"/testsuite/fuzz/corpus/*; do
	for option in "" -u; do
		"$STAP" $option -w -g -r "$RELEASE" -p3 "$file" 5 'two words' > out 2> err
		status=$?
		if [ $status -gt 1 ] || { [ $status = 1 ] && ! grep -q '^  at ' err; } || { [ $status = 0 ] && [ -s err ]; }; then
			echo "$file $option: status $status, $(head -n 1 err)"
		fi
	done
done
echo done
