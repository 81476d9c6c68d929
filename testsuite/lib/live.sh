# SPDX-License-Identifier: GPL-2.0-or-later
# live.sh COMMANDS STAPRUN ARG...: in the guest, runs the shell commands while the session is live, ends it as ^C does, and
# prints its output.  That its probes are live the script says itself, with a line "ready" (from a timer: a begin probe runs
# before the others); no case then depends on how fast the machine is.
commands=$1
shift
out=$(mktemp)
# A shell without job control has its background jobs ignore ^C; env undoes that.
env --default-signal=INT,QUIT "$@" > "$out" &
session=$!
until grep -q '^ready$' "$out"; do
	kill -0 $session 2> /dev/null || { cat "$out"; echo "the session ended before it was ready"; exit 1; }
	sleep 0.1
done
eval "$commands"
kill -INT $session
wait $session
status=$?
grep -v '^ready$' "$out"
rm -f "$out"
exit $status
