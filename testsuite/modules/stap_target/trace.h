/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracepoint of the module's own, called as one of the module drm (which is not loaded in the guest): its arguments
 * are known from that one's BTF.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM stap_target

#if !defined(TARGET_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TARGET_TRACE_H
#include <linux/tracepoint.h>

TRACE_EVENT(drm_vblank_event,
	TP_PROTO(int crtc, unsigned int seq, ktime_t time, bool high_prec),
	TP_ARGS(crtc, seq, time, high_prec),
	TP_STRUCT__entry(__field(unsigned int, seq)),
	TP_fast_assign(__entry->seq = seq;),
	TP_printk("%u", __entry->seq)
);
#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
