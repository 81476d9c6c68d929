/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Returns of many functions where the kernel has no fprobe.  A kretprobe for each takes milliseconds apiece to attach; here
 * an ftrace filter finds the entries, and each goes to the handler with which one kretprobe diverts a call's
 * return, as the kernel's own kprobes on ftrace do.  That kretprobe stands on one of the functions and is never enabled.
 */
#include "hook.h"
#include "compat/fprobe.h"

#ifdef STP_FPROBE_OWN
#define TRIES 16        /* functions that the kernel may refuse to put the kretprobe on */

/* What is kept of a call. */
struct own_call {
	unsigned long ip;
	u64 data[];
};

static int own_entry_fn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct own_call *call = (struct own_call *)ri->data;
	struct stp_fprobe *fp;

	if (unlikely(!rp)) /* being unregistered */
		return 1;
	fp = container_of(rp, struct stp_fprobe, rp);
	call->ip = instruction_pointer(regs) - MCOUNT_INSN_SIZE; /* of the call to ftrace */
	return fp->entry_handler ? fp->entry_handler(fp, call->ip, regs, call->data) : 0;
}
NOKPROBE_SYMBOL(own_entry_fn);

static int own_return_fn(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct own_call *call = (struct own_call *)ri->data;
	struct stp_fprobe *fp;

	if (unlikely(!rp))
		return 0;
	fp = container_of(rp, struct stp_fprobe, rp);
	fp->exit_handler(fp, call->ip, regs, call->data);
	return 0;
}
NOKPROBE_SYMBOL(own_return_fn);

static void notrace own_ftrace_fn(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, stp_ftrace_regs *regs)
{
	struct stp_fprobe *fp = container_of(ops, struct stp_fprobe, ops);

	preempt_disable_notrace();
	fp->rp.kp.pre_handler(&fp->rp.kp, (struct pt_regs *)regs);
	preempt_enable_notrace();
}

static int kretprobe_start(struct stp_fprobe *fp, unsigned long ip)
{
	memset(&fp->rp, 0, sizeof(fp->rp)); /* a failed try leaves things behind */
	fp->rp.kp.addr = (kprobe_opcode_t *)ip;
	fp->rp.kp.flags = KPROBE_FLAG_DISABLED;
	fp->rp.entry_handler = own_entry_fn;
	fp->rp.handler = own_return_fn;
	fp->rp.data_size = sizeof(struct own_call) + fp->entry_data_size;
	fp->rp.maxactive = fp->nr_maxactive;
	return register_kretprobe(&fp->rp);
}

int stp_fprobe_register(struct stp_fprobe *fp, unsigned long *ips, u32 n)
{
	int rc = -EINVAL;
	u32 i;

	for (i = 0; i < n && i < TRIES && rc; i++)
		rc = kretprobe_start(fp, ips[i]);
	if (rc)
		return rc;
	fp->ops.func = own_ftrace_fn;
	/* what is on the way to the return's hook is traceable in part */
	fp->ops.flags = FTRACE_OPS_FL_SAVE_REGS | STP_FTRACE_PROTECTED;
	rc = stp_ftrace_filter(&fp->ops, ips, n);
	if (!rc)
		rc = register_ftrace_function(&fp->ops);
	if (rc) {
		ftrace_free_filter(&fp->ops);
		unregister_kretprobe(&fp->rp);
	}
	return rc;
}

void stp_fprobe_unregister(struct stp_fprobe *fp)
{
	unregister_ftrace_function(&fp->ops);
	ftrace_free_filter(&fp->ops);
	unregister_kretprobe(&fp->rp);
}
#endif
