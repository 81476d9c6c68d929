# SPDX-License-Identifier: GPL-2.0-or-later
# How changes of mappings are noticed: by the kernel's functions, where its types have them; by system calls where one of them is not there,
# nothing is known, or they were asked for.  The kernels are nothing but a name and BTF.
# expect: this kernel: functions
# expect: this kernel, syscall: system calls
# expect: all three: functions
# expect: older name: functions
# expect: no unmapping: system calls
# expect: no mapping: system calls
# expect: no mapping, probe: functions
# expect: no types: system calls
# expect: no names wanted: functions
build=tree/lib/modules/9.9.9-none/build btf=tree/boot/btf-9.9.9-none
mkdir -p $build/include/generated $build/include/config tree/boot
touch $build/Makefile $build/include/generated/autoconf.h
echo 9.9.9-none > $build/include/config/kernel.release
kernel() {
	rm -f $btf
	for f; do echo "int $f(int a) { return a; }"; done > k.c
	gcc -gbtf -c -o k.o k.c && objcopy -O binary -j .BTF --set-section-flags .BTF=alloc k.o $btf
}
names='probe timer.profile { println(usymname(uaddr())) }'
told() {
	what=$1; shift
	$STAP -p3 "$@" > c 2> err || { cat err; return; }
	if grep -q 'globl stp_umap_syscall_on' c; then echo "$what: system calls"; else echo "$what: functions"; fi
}
told 'this kernel' -r $RELEASE -e "$names"
told 'this kernel, syscall' -r $RELEASE -D STP_VMA_STRATEGY=syscall -e "$names"
kernel perf_event_mmap do_vmi_align_munmap __vm_munmap
told 'all three' -r $build -e "$names"
kernel perf_event_mmap do_mas_align_munmap
told 'older name' -r $build -e "$names"
kernel perf_event_mmap
told 'no unmapping' -r $build -e "$names"
kernel __vm_munmap
told 'no mapping' -r $build -e "$names"
told 'no mapping, probe' -r $build -D STP_VMA_STRATEGY=probe -e "$names"
rm $btf
told 'no types' -r $build -e "$names"
told 'no names wanted' -r $build -e 'probe begin { println(1) }'
