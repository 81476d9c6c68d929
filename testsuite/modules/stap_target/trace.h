/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint of the module's own, called as one of the hwmon driver (which is not loaded in the guest): its arguments
 * are known from that one's BTF.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM stap_target

#if !defined(TARGET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TARGET_TRACE_H
#include <linux/tracepoint.h>

TRACE_EVENT(hwmon_attr_show,
	TP_PROTO(int index, const char *attr_name, long long val),
	TP_ARGS(index, attr_name, val),
	TP_STRUCT__entry(__field(long long, val)),
	TP_fast_assign(__entry->val = val;),
	TP_printk("%lld", __entry->val)
);
#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
