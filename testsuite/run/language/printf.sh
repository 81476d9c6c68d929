# SPDX-License-Identifier: GPL-2.0-or-later
# printf's conversions with flags, widths and precisions print what printf(1) prints.
# expect: same
cat > script.stp <<'END'
probe begin {
	m = -42
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d] [%8.3d] [%-8.3d]\n", 42, 42, 42, 42, 42, 42, 42, 42, 42)
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d]\n", m, m, m, m, m, m, m)
	printf("[%i] [%u] [%x] [%X] [%#x] [%#X] [%o] [%#o]\n", 7, 7, 255, 255, 255, 255, 8, 8)
	printf("[%x] [%u] [%o]\n", m, m, m)
	printf("[%08x] [%#010x] [%-8x] [%8x] [%.6x]\n", 48879, 48879, 48879, 48879, 48879)
	printf("[%s] [%5s] [%-5s] [%.2s] [%5.2s] [%-5.2s]\n", "abc", "abc", "abc", "abc", "abc", "abc")
	printf("[%c] [%%] [%c%c]\n", 65, 66, 67)
	printf("[%*d] [%-*d] [%.*d] [%*s] [%.*s]\n", 6, 1, 6, 2, 3, 3, 6, "abc", 2, "abc")
	printf("[%d] [%d]\n", 9223372036854775807, -9223372036854775807 - 1)
	printf("tab[\t] quote[\"] backslash[\\] octal[\101] hex[\x42]\n")
	exit()
}
END
m=-42
{
	printf "[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d] [%8.3d] [%-8.3d]\n" 42 42 42 42 42 42 42 42 42
	printf "[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d]\n" $m $m $m $m $m $m $m
	printf "[%i] [%u] [%x] [%X] [%#x] [%#X] [%o] [%#o]\n" 7 7 255 255 255 255 8 8
	printf "[%x] [%u] [%o]\n" $m $m $m
	printf "[%08x] [%#010x] [%-8x] [%8x] [%.6x]\n" 48879 48879 48879 48879 48879
	printf "[%s] [%5s] [%-5s] [%.2s] [%5.2s] [%-5.2s]\n" abc abc abc abc abc abc
	printf "[%c] [%%] [%c%c]\n" A B C
	/usr/bin/printf "[%*d] [%-*d] [%.*d] [%*s] [%.*s]\n" 6 1 6 2 3 3 6 abc 2 abc
	printf "[%d] [%d]\n" 9223372036854775807 -9223372036854775808
	printf 'tab[\t] quote["] backslash[\\] octal[\101] hex[B]\n'
} > wanted
module=$($STAP $RUN_SETTINGS -p4 -r $RELEASE script.stp) || exit 1
$GUEST $STAPRUN $module > got || exit 1
diff wanted got >&2 && echo same
