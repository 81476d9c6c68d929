# Random arithmetic three ways: folded by pass 2, by the generated C, and by a model in data/arith.c.
# timeout: 200
here=$TOP/testsuite/pass3/data
cflags="-std=gnu11 -fno-strict-overflow -fno-strict-aliasing -I$TOP/runtime/abi -I$TOP/runtime/module"
gcc -O1 -o arith "$here/arith.c" || exit 1
for src in map map_slow map_del map_iter map_pool map_sort stat stat_pool hist str print_fmt print_put print_slow print_mem hist_rows regex \
	fn_regex; do
	gcc $cflags -O1 -c -o rt_$src.o "$TOP/runtime/module/$src.c" || exit 1
done
gcc $cflags -O1 -c -o rt_host.o "$here/host.c" || exit 1
bad=0
for seed in 1 2; do
	./arith $seed 300 script > script.stp
	./arith $seed 300 wanted > wanted
	for option in "" -u; do
		"$STAP" -w $option -r "$RELEASE" -p3 script.stp > script.c || exit 1
		gcc $cflags -w -O2 -o script script.c rt_*.o -lpthread || exit 1
		./script > got || bad=1
		diff -u wanted got || { echo "seed $seed $option: failed"; bad=1; }
	done
done
exit $bad
