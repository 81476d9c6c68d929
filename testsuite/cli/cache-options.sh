# SPDX-License-Identifier: GPL-2.0-or-later
# --disable-cache neither reads nor writes the cache; --poison-cache makes anew, and keeps, what is there;
# --clean-cache removes what is over the limit, and does nothing else.
# timeout: 200
# expect: cached
# expect: disabled: built, cache untouched, module here
# expect: poisoned: built, replaced
# expect: then cached
# expect: damaged kit: made anew
# expect: cleaned: the module is gone
mkdir -p dir/cache
for kind in kits runtime; do [ ! -d "$SYSTEMTAP_DIR/cache/$kind" ] || cp -rp "$SYSTEMTAP_DIR/cache/$kind" dir/cache; done
export SYSTEMTAP_DIR="$PWD/dir"
script='probe begin { println("cache") }'
build() { $STAP -r $RELEASE -p4 -v "$@" -e "$script" 2> err; }
state() { find dir/cache -type f ! -path '*/locks/*' ! -name cleaned -exec stat -c '%n %i %Y' {} + | sort; }

module=$(build) || { cat err >&2; exit 1; }
build > /dev/null && grep -q 'using cached' err && echo cached

state > before
here=$(build --disable-cache) || { cat err >&2; exit 1; }
state > after
grep -q 'using cached' err && echo "read the cache"
cmp before after >&2 && [ "${here%%/*}" = "$here" ] && [ -s "$here" ] && grep -q 'building the runtime' err &&
	echo "disabled: built, cache untouched, module here"

# What is in the cache is damaged: poisoned, it is not looked at.
runtime=$(ls -dt dir/cache/runtime/$RELEASE-* | head -n 1)
for file in "$runtime"/*.*; do echo "damaged" > "$file"; done
cp /bin/true "$module"
touch -d '1 hour ago' "$runtime"/* "$module"
again=$(build --poison-cache) || { cat err >&2; exit 1; }
grep -q 'using cached' err && echo "read the cache"
[ "$again" = "$module" ] && grep -q 'building the runtime' err && modinfo "$module" > /dev/null && ! grep -q damaged "$runtime"/*.* &&
	echo "poisoned: built, replaced"
build > /dev/null && grep -q 'using cached' err && echo "then cached"

# Damage that can be seen is mended without being asked.
echo "damaged" | tee dir/cache/kits/*/template.o > /dev/null
rm "$module"
build > /dev/null || { cat err >&2; exit 1; }
[ "$(grep -L damaged dir/cache/kits/*/template.o | wc -l)" = 1 ] && modinfo "$module" > /dev/null && echo "damaged kit: made anew"

echo 0 > dir/cache/cache_mb_limit
find dir/cache/modules dir/cache/runtime dir/cache/kits -exec touch -d '1 hour ago' {} +
$STAP --clean-cache > out 2>&1 && [ ! -s out ] && [ ! -e "$module" ] && [ ! -e "$runtime" ] && echo "cleaned: the module is gone"
