# SPDX-License-Identifier: GPL-2.0-or-later
# For shell cases in run/: `. $TOP/testsuite/lib/script.sh`.

# Builds the module of a script with these options of stap and prints its path: module FILE [OPTION...]
# A script that does not build ends the case.
module()
{
	$STAP $RUN_SETTINGS -p4 -r $RELEASE "$@" || kill $$
}

# Builds triggers/NAME.c as ./NAME.
trigger()
{
	cc -O2 -Wall -pthread -o "$1" "$TOP/testsuite/triggers/$1.c" || exit 1
}

# Says "modules: none" when in the guest no module of ours is left, a moment from now at the latest.
modules_left()
{
	$GUEST sh -c 'for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q "^stap_" /proc/modules || { echo "modules: none"; exit; }; sleep 0.1; done
		grep "^stap_" /proc/modules' < /dev/null
}

# Where modules for $RELEASE are built, which may be such a directory itself.
case $RELEASE in
/*) KBUILD=$RELEASE ;;
*) KBUILD=/lib/modules/$RELEASE/build ;;
esac

# Builds testsuite/modules/NAME for $RELEASE with debuginfo, as ./NAME.ko: target NAME [OPTIMISATION]
target()
{
	mkdir -p "src-$1" && cp "$TOP/testsuite/modules/$1"/* "src-$1" || exit 1
	make -s -C "$KBUILD" M="$PWD/src-$1" LEVEL="$2" modules > "src-$1/log" 2>&1 ||
		{ cat "src-$1/log"; exit 1; }
	cp "src-$1/$1.ko" .
}
