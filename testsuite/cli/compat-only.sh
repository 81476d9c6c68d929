# What differs between kernels is asked in runtime/module/compat/ alone, by feature.
cd "$TOP/runtime/module" || exit 1
if grep -n 'STP_HAVE_\|STP_EXPORTED_\|LINUX_VERSION_CODE\|KERNEL_VERSION(' *.[ch]; then
	exit 1
fi
grep -q STP_HAVE_ compat/*.h
