# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks of user programs, followed in the kernel, are those that libgcc's unwinder sees in the program itself: through
# libraries, frames on rbp, aligned frames, a signal handler, a thread, a library that is opened later; as PIE, at a fixed address
# and static, with and without frame pointers.  Names are those of nm.  Return probes change the return addresses on
# the stack, but not the frames.
# timeout: 240
# stderr-re: WARNING: [0-9]* addresses of user programs could not be named or followed.*
# expect: pie: 6 stacks as in the program
# expect: fixed: 6 stacks as in the program
# expect: pointers: 6 stacks as in the program
# expect: static: 5 stacks as in the program
# expect: names: leaf on_stack on_stack main
# expect: returns: leaf on_stack on_stack main
# expect: made: leaf old function outer run main
# expect: made: leaf inner code outer run main
# expect: vdso: [vdso] clock_gettime main
# expect: list: garbage main
# expect: list: holes main
# expect: list: line main
# expect: list: order main
# expect: list: overlap main
# expect: list: sizes main
# expect: it is a symbolic link
# expect: it is another user's
# expect: it is no regular file
. $TOP/testsuite/lib/script.sh
source=$TOP/testsuite/triggers/user_stack.c
cc -O2 -pthread -o pie $source
cc -O1 -pthread -no-pie -o fixed $source
cc -O2 -fno-omit-frame-pointer -pthread -o pointers $source
cc -O2 -pthread -static -o static $source 2> /dev/null
echo 'long call_back(long (*f)(int), int n) { return f(n) + 1; }' | cc -O1 -shared -fPIC -x c -o later.so -
cat > stacks.stp << 'END'
global n
probe kernel.trace("sys_enter") {
	if ($id != 110 || pid() != target()) next
	printf("stap: %s\n", ubacktrace())
	if (n++ == 0)
		printf("names: %s %s %s %s\n", usymname(ustack(0)), usymname(ustack(1)), usymname(ustack(2)), usymname(ustack(7)))
}
END
ko=$(module stacks.stp -m stap_ustacks -DMAXSTRINGLEN=2000)
for program in pie fixed pointers static; do
	late=$PWD/later.so
	[ $program = static ] && late=
	$GUEST $STAPRUN $PWD/$ko -c "$PWD/$program $late" > out
	grep names: out > names
	awk -v program=$program '
		$1 == "own:" { own = ""; for (i = 3; i <= NF; i++) own = own " " $i; kind = $2 }
		$1 == "stap:" { stap = ""; for (i = 3; i <= NF; i++) stap = stap " " $i; stacks[++m] = stap }
		$1 == "own:" { owns[++k] = own; kinds[k] = kind }
		END {
			for (i = 1; i <= k; i++)
				if (owns[i] == stacks[i]) good++
				else print program, kinds[i] ": program" owns[i] "; stap" stacks[i]
			print program ": " good+0 " stacks as in the program"
		}' out
done
cat names
cat > returns.stp << END
global n
probe process("$PWD/pie").function("on_stack").return, process("$PWD/pie").function("leaf").return { if (returnval() == 987654) n++ }
probe kernel.trace("sys_enter") {
	if (\$id != 110 || pid() != target() || n++) next
	printf("returns: %s %s %s %s\n", usymname(ustack(0)), usymname(ustack(1)), usymname(ustack(2)), usymname(ustack(7)))
}
END
ko=$(module returns.stp -m stap_ureturns)
$GUEST $STAPRUN $PWD/$ko -c "$PWD/pie $PWD/later.so" | grep returns:

trigger jit
cat > jit.stp << 'END'
global said, n_said
probe process("./jit").syscall {
	if ($syscall == 110) {
		names = sprintf("%s %s %s %s %s", usymname(ustack(0)), usymname(ustack(1)), usymname(ustack(2)), usymname(ustack(3)), usymname(ustack(4)))
		if (names !~ "0x" && !said[names]++) {
			printf("made: %s\n", names)
			system(sprintf("touch /tmp/jit.%d", ++n_said))
		}
	}
	if ($syscall == 228) printf("vdso: %s %s %s\n", umodname(ustack(0)), str_replace(usymname(ustack(0)), "__vdso_", ""), usymname(ustack(2)))
}
END
ko=$(module jit.stp -m stap_ujit)
$GUEST rm -f /tmp/jit.1 /tmp/jit.2
$GUEST $STAPRUN $PWD/$ko -c $PWD/jit
# Lists as no compiler should write them: right names where there are any, a message where there can be none, and no memory that is not given back.
cc -O2 -Wall -o perf_map $TOP/testsuite/triggers/perf_map.c
cat > lists.stp << 'END'
global said, n
probe process("./perf_map").syscall {
	if ($syscall != 110) next
	name = substr(usymname(ustack(1)), 0, 12)
	if (name =~ "^0x" || said[pid()]++) next
	println("list: ", name, " ", usymname(ustack(2)))
	if (++n == 6) system("sleep 1; touch /tmp/lists.done")
}
END
cat > lists.sh << 'END'
rm -f /tmp/lists.done
for kind in garbage sizes overlap order line holes fifo link foreign; do ./perf_map $kind /tmp/lists.done & done
wait
END
$GUEST sh -c "$STAPRUN -o /tmp/lists -c 'sh lists.sh' $(module lists.stp); sort /tmp/lists" 2> lists.err
sed -n 's/.* not used: //p' lists.err | sort
