# A handler with a stack frame of many kilobytes is refused: the kernel's whole stack has sixteen.
# stderr-re: .*needs more of the kernel's stack than a probe may take.*
# stderr: Pass 4: compilation failed.
{
	echo 'global s, a probe begin { s <<< 1 a[1] = 1 } probe end { println(0'
	for i in $(seq 200); do echo "+ @count(s) + a[$i]"; done
	echo ') }'
} > script.stp
exec "$STAP" -w -r "$RELEASE" -p4 script.stp
