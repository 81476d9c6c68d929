# Temporaries of one statement use the stack of those of the last: a long handler is no large frame.
# has-re: ^.*\.ko$
{
	echo 'global s probe begin { s <<< 1 } probe end { t = 0'
	for i in $(seq 200); do echo "t += @count(s) + @sum(s)"; done
	echo 'println(t) }'
} > script.stp
exec "$STAP" -w -r "$RELEASE" -p4 script.stp
