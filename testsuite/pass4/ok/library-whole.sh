# Every alias and function of the library resolves (on each kernel whose headers are here), compiles and links.
# timeout: 240
unset SYSTEMTAP_TAPSET
XDG_DATA_DIRS=/nonexistent
export XDG_DATA_DIRS
PATH=$TOP:$PATH # stap.* are about the program of that name there

# A call of each function, in one handler; their results are used, so that nothing is optimised away.
# Arguments are a number or a string that the translator does not know.
functions()
{
	echo 'probe kernel.function("vfs_read").return { n = cpu() s = execname()'
	"$STAP" -r "$1" --dump-functions | sed -E 's: */\*.*::; s:[a-zA-Z_0-9]+\:string:s:3g; t; ' | awk -F'[(]' '{
		name = $1; args = $2
		sub(/ *$/, "", name); sub(/\).*/, "", args)
		type = ""
		if (split(name, part, ":") > 1) { name = part[1]; type = part[2] }
		n = split(args, arg, /, */)
		call = name "("
		for (i = 1; i <= n; i++)
			call = call (i > 1 ? ", " : "") (arg[i] ~ /:string|^(msg|name_of)$/ || arg[i] == "s" ? "s" : "n")
		print type == "" ? call ")" : "println(" call "))"
	}'
	echo '}'
}

# Aliases as probes. With -u all of what they set is kept. What is optional in the library is so here, and Python.
aliases()
{
	"$STAP" -r "$1" --dump-probe-aliases | sort -u | grep -v '^nd_syscall' |
		sed -n -e 's/^\(python\.[a-z.]*\) = .*/probe \1 ? { println(pp()) }/p;t' -e 's/^\([a-zA-Z_0-9.]*\) = .*?$/probe \1 ? { println(pp()) }/p' \
			-e 's/^\([a-zA-Z_0-9.]*\) = .*/probe \1 { println(pp()) }/p'
}

check()
{
	"$STAP" "$@" > out 2> err && ! grep -q -e 'error' err || { echo "stap $*:"; head -n 20 err; exit 1; }
}

for release in $(ls /lib/modules) $RELEASE; do
	[ -e "/lib/modules/$release/build" ] || continue
	functions "$release" > functions.stp
	aliases "$release" > aliases.stp
	[ "$(wc -l < functions.stp)" -gt 100 ] && [ "$(wc -l < aliases.stp)" -gt 300 ] || { echo "the library is not there"; exit 1; }
	check -g -u -w -r "$release" -p2 functions.stp
	check -u -w -r "$release" -p2 aliases.stp
	[ "$(grep -c '<- syscall' out)" -gt 650 ] || { echo "$release: system calls are missing"; exit 1; }
done
check -g -u -w -r "$RELEASE" -p4 functions.stp
grep -v -e '^probe syscall\.' aliases.stp > some.stp
check -u -w -r "$RELEASE" -p4 some.stp
