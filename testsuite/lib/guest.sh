# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh SECONDS STAPRUN ARG...: in the guest, runs the loader, with ^C after SECONDS unless
# that is 0, and complains when a module of ours is still there afterwards.
seconds=$1
shift
if [ "$seconds" = 0 ]; then
	"$@"
	status=$?
else
	# A shell without job control has its background jobs ignore ^C; env undoes that.
	env --default-signal=INT,QUIT "$@" &
	child=$!
	sleep "$seconds"
	kill -INT $child
	wait $child
	status=$?
fi
# A watcher may still be at it.
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	grep -q '^stap_' /proc/modules || exit $status
	sleep 0.1
done
echo "left behind: $(grep '^stap_' /proc/modules)" >&2
exit 99
