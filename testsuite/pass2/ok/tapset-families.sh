#!/bin/sh
# Families of aliases resolve with the variables that are documented for them, on this kernel; the modules' ones where the modules are.
# has-re: linuxmib\.\* ok
# lacks-re: fails
check() {
	point=$1; shift; body=
	for v; do body="$body println($v);"; done
	if "$STAP" -p2 -w -r "$RELEASE" -e "probe $point { $body }" > out 2>&1; then echo "$point ok"; else echo "$point fails:"; cat out; exit 1; fi
}
check vfs.readv iovec nr_segs bytes_to_read devname
check vfs.remove_from_page_cache dev ino devname index
check ioblock_trace.request q bytes_done idx bdev_contains p_start_sect
check ioscheduler_trace.elv_issue_request elevator_name disk_major disk_minor rq rq_flags
check ioscheduler.elv_add_request.kp elevator_name
check signal.checkperm sig sig_name sig_pid pid_name si_code
check signal.do_action sa_handler sa_mask sa_flags
check 'irq_handler.entry' irq dev_name flags_str dir action
check vm.kmalloc_node bytes_req gfp_flag_name caller_function
check socket.writev.return size success
check generic.fop.read_iter devname count pos
check lsm.socket_bind name '$address'
check tty.receive name count driver_name index
check 'tcpmib.*' sk op
check 'ipmib.*' skb op
check 'linuxmib.*' sk op
check signal.sys_tgkill tgid sig_name sig_pid pid_name task
check vfs.read pathname file bytes_to_read
check syscall.timer_settime timerid flags value_uaddr ovalue_uaddr
check syscall.semctl cmdstr semnum arg
check syscall.fanotify_mark mask dirfd pathname flags_str
check syscall.quotactl cmd_str special_str
check 'nd_syscall.utime' actime modtime filename
check syscall.setsockopt level_str optname_str
PATH=$TOP:$PATH check stap.pass3.end session
if [ -e "$(ls /lib/modules/$RELEASE/kernel/fs/nfs/nfs.ko* 2> /dev/null | head -n 1)" ]; then
	check nfs.fop.write_iter dev ino pos count s_id file_name parent_name
	check nfs.fop.mmap cache_valid cache_time attrtimeo file_name
	check nfsd.proc3.read client_ip fh count offset
	check sunrpc.clnt.call_sync servername prog progname vers prot proc procname flags
	check sunrpc.svc.process sv_name peer_ip rq_xid rq_prog rq_vers rq_proc rq_prot
	check sunrpc.sched.delay xid prog vers prot tk_pid tk_flags delay
	check sunrpc.entry name argstr
	check nfs.proc.read_done server_ip prot version status count
	check nfsd.proc.write client_ip fh size offset version uid
	check scsi.iocompleted host_no channel lun dev_id device_state_str goodbytes req_addr
fi
exit 0
