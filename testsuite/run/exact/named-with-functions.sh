# What is said of a probe of many functions names one of them.
# timeout: 120
# expect: several
# expect: one
# expect: clean
. "$TOP/testsuite/lib/script.sh"
trigger calls
cat > script.stp <<'END'
global n, m
probe kernel.function("__x64_sys_get*gid"), kernel.function("__x64_sys_getpgid").call {
	if (pid() != target()) next
	for (i = 0; i < 20; i++) if (n == m) { n++; m++ }
}
END
$GUEST $STAPRUN -c './calls 4 20000' $(module script.stp -DMAXTRYLOCK=0 -DMAXSKIPPED=1000000) > out 2> err
grep -q 'skipped [0-9]* hits of kernel.function("__x64_sys_get[a-z]*gid") and [0-9]* more (lock' err && echo several || cat err
grep -q 'skipped [0-9]* hits of kernel.function("__x64_sys_getpgid").call (lock' err && echo one || cat err
tr -d '\001' < err | cmp -s - err && echo clean
