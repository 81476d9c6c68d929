# What scripts do, without a kernel: the generated C runs in user space with the pure parts of the
# runtime and sanitizers.  Each data/*.stp says what it prints; it must also compile without a warning,
# optimized by pass 2 or not.
# timeout: 300
here=$TOP/testsuite/pass3/data
cflags="-std=gnu11 -fno-strict-overflow -fno-strict-aliasing -I$TOP/runtime/abi -I$TOP/runtime/module"
san="-g -O1 -fsanitize=address,undefined -fno-sanitize=shift -fno-sanitize-recover=all"
bad=0

for src in map map_slow map_del map_iter map_pool map_sort stat stat_pool hist str print_fmt print_put print_slow print_mem hist_rows regex \
	fn_regex; do
	gcc $cflags $san -c -o rt_$src.o "$TOP/runtime/module/$src.c" || exit 1
done
gcc $cflags $san -c -o rt_host.o "$here/host.c" || exit 1

try_script() {
	(cd "$here" && "$STAP" -w $2 $(sed -n 's/^# options: //p' "$1.stp") -r "$RELEASE" -p3 "$1.stp") > script.c || return 1
	gcc $cflags -O2 -Wall -Werror -c -o script.o script.c || return 1
	gcc $cflags $san -o script script.c rt_*.o -lpthread || return 1
	sed -n 's/^# expect: \{0,1\}//p' "$here/$1.stp" > wanted
	./script > got || return 1
	diff -u wanted got
}

for path in "$here"/*.stp; do
	name=$(basename "$path" .stp)
	for option in "" -u; do
		if ! try_script "$name" "$option"; then
			echo "$name $option: failed"
			bad=1
		fi
	done
done
exit $bad
