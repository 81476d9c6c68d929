# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of the language reference print what it says they print.
# expect: all as written
# timeout: 240
STAP=${STAP:-stap} STAPRUN=${STAPRUN:-staprun}
export STAP STAPRUN RELEASE
lib=$TOP/testsuite/lib
awk -v out="$PWD" -f "$lib/examples.awk" "$TOP"/doc/language/*.md > list || exit 1
[ "$(wc -l < list)" -gt 60 ] || { echo "only $(wc -l < list) examples were found" >&2; exit 1; }
xargs -P 2 -n 1 sh "$lib/example.sh" build < list
$GUEST env STAPRUN="$STAPRUN" sh -c 'while read -r dir; do sh "$0" run "$dir" < /dev/null; done < "$1"' "$lib/example.sh" "$PWD/list" > got 2> said || exit 1
while read -r dir; do sh "$lib/example.sh" check "$dir" "$PWD/got" "$PWD/said"; done < list > bad
[ ! -s bad ] && echo "all as written" || cat bad >&2
