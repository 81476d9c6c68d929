/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only some modules have, and where it comes in: one function that lifecycle.c and control.c call where it is linked in,
 * so that the others carry nothing of it.  A unit with such a part says STP_NEEDS_EXTRAS.
 */
#ifndef STP_EXTRAS_H
#define STP_EXTRAS_H

#include <linux/compiler.h>
#include <linux/types.h>

enum stp_moment {
	STP_AT_INIT,            /* the module is loaded: 0 or -errno */
	STP_AT_ATTACH,          /* before all hooks: 0 or -errno */
	STP_AT_STARTED,         /* handlers run: hooks that asked for it are told */
	STP_AT_DETACHED,        /* behind them */
	STP_AT_ERROR,           /* a handler has failed, any context: 1 when that is counted as skipped, and no error */
	STP_AT_REPORT,          /* at the end: times, and what was skipped */
	STP_AT_DRAIN,           /* no handler runs any more: wait for what they left behind */
	STP_AT_FREE,            /* the module goes */
	STP_ASK_FLAGS,          /* STP_INFO_* */
	STP_AT_COMMAND,         /* STP_IOC_*, under stp_session_lock: its result, -ENOTTY when it is not known */
	STP_AT_FREE_COMMAND,    /* ... without it */
};

/* Process context, but for STP_AT_ERROR.  arg: of commands, in user space; of STP_AT_ERROR, the struct stp_context. */
long stp_extras(enum stp_moment moment, unsigned int cmd, void *arg);

/* lifecycle.c: the same where there are such parts; 0, or -ENOTTY for commands, where there are none. */
long stp_extra(enum stp_moment moment, unsigned int cmd, void *arg);

#define STP_NEEDS_EXTRAS static const void *const stp_needs_extras __used = stp_extras

#endif
