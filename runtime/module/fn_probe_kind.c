/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library functions about how a probe was hit: the mechanism underneath, the kernel's stack; and a memory address's node. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/thread_info.h>
#include "port.h"
#include "fn_more.h"
#include "str.h"

static const char *const kind_names[] = {
	[STP_BEGIN] = "begin", [STP_END] = "end", [STP_ERROR] = "error", [STP_NEVER] = "never",
	[STP_TIMER] = "timer", [STP_PROFILE] = "profile_timer", [STP_ENTRY] = "kprobe", [STP_RETURN] = "kretprobe",
	[STP_TRACEPOINT] = "tracepoint", [STP_ADDRESS] = "kprobe", [STP_PROCFS] = "procfs", [STP_PERF] = "perf",
	[STP_PERF_TASK] = "perf", [STP_NETFILTER] = "netfilter", [STP_INPUT] = "input", [STP_DATA] = "hwbkpt",
	[STP_UPROBE] = "uprobe", [STP_URETURN] = "uretprobe", [STP_TASK] = "utrace",
};

struct stp_str stp_fn_probe_type(struct stp_ctx *c)
{
	u8 kind = c->probe->kind;
	const char *name = kind < ARRAY_SIZE(kind_names) && kind_names[kind] ? kind_names[kind] : "unknown";

	if (kind == STP_TASK && (c->probe->arg == STP_TASK_SYSCALL || c->probe->arg == STP_TASK_SYSCALL_RETURN))
		name = "utrace_syscall";
	return (struct stp_str){ name, strlen(name) };
}

s64 stp_fn_kstk_size(struct stp_ctx *c)
{
	return THREAD_SIZE;
}

/* Kernel stacks, those of interrupts too, are aligned to their size and grow downwards. */
s64 stp_fn_kstk_unused(struct stp_ctx *c)
{
	return c->stack_start & (THREAD_SIZE - 1);
}

s64 stp_fn_addr_to_node(struct stp_ctx *c, s64 addr)
{
	unsigned long pfn;
	int node;

	if (!virt_addr_valid((void *)(unsigned long)addr))
		return -1;
	pfn = virt_to_phys((void *)(unsigned long)addr) >> PAGE_SHIFT;
	for_each_online_node(node) {
		unsigned long start = NODE_DATA(node)->node_start_pfn;

		if (pfn >= start && pfn < start + NODE_DATA(node)->node_spanned_pages)
			return node;
	}
	return -1;
}
