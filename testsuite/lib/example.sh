# SPDX-License-Identifier: GPL-2.0-or-later
# example.sh build|run|check DIR: one example of the language reference (examples.awk), with $STAP, $STAPRUN and $RELEASE set.
# build leaves DIR/module or DIR/err; run, in the guest, says on stdout what the script prints, on stderr its messages.
cd "$2" || exit 1
n=${2##*/}

# "stap OPTIONS x.stp ARGUMENTS": what belongs to the loader is kept apart.
words()
{
	options= loader= globals=
	[ -f command ] || { set -- x.stp; return; }
	eval "set -- $(cat command)"
	shift
	while [ $# -gt 0 ] && [ "$1" != x.stp ]; do
		case $1 in
		-c|-T) loader="$loader $1 '$2'"; shift 2 ;;
		-G) globals="$globals '$2'"; shift 2 ;;
		*) options="$options '$1'"; shift ;;
		esac
	done
	arguments=
	for word in "$@"; do arguments="$arguments '$word'"; done
}

arguments=x.stp
words
case $1 in
build)
	pass=2
	[ ! -f output ] && [ ! -f errors ] || pass=4
	eval "set -- $options $arguments"
	"$STAP" $RUN_SETTINGS -r "$RELEASE" -p$pass "$@" > stdout 2> stderr
	echo $? > status
	[ $pass = 2 ] || [ "$(cat status)" != 0 ] || mv stdout module
	;;
run)
	[ -f module ] || exit 0
	echo "=== $n"
	echo "=== $n" >&2
	eval "set -- $loader $(cat module) $globals"
	timeout 20 "$STAPRUN" "$@"
	;;
check)
	# What the guest said about this example, from the two files with all of it.
	got=$(awk -v n="=== $n" '/^=== [0-9]+$/ { on = $0 == n; next } on' "$3")
	said=$(cat stderr; awk -v n="=== $n" '/^=== [0-9]+$/ { on = $0 == n; next } on' "$4")
	bad=
	[ "$(cat status)" = 0 ] || [ -f errors ] || bad="stap failed"
	[ ! -f output ] || [ "$got" = "$(cat output)" ] || bad="$bad other output:
$got
"
	if [ -f errors ]; then
		while IFS= read -r line; do
			printf '%s\n' "$said" | grep -qF -e "$line" || bad="$bad no message \"$line\""
		done < errors
	elif [ -f module ] && [ -n "$said" ]; then
		bad="$bad unexpected messages"
	fi
	[ -n "$bad" ] || exit 0
	echo "$(cat where): $bad"
	printf '%s\n' "$said" | head -20
	;;
esac
