# The compiler's time for a handler of thousands of statements does not grow with its square: 3,000 conditions take a tenth
# of the processor seconds that they may take here.
{
	echo 'global n probe begin { y = pid()'
	i=0
	while [ $i -lt 3000 ]; do
		echo "if (y == $i) n += $i; else if (n > $i) n--"
		i=$((i + 1))
	done
	echo 'println(n) exit() }'
} > x.stp
ulimit -t 6
"$STAP" -r "$RELEASE" -DMAXACTION=10000 -p4 -m long_handler x.stp || exit 1
