/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RCU in handlers.  A traced function may run where RCU does not watch (entry to and exit from idle and
 * user mode); what needs RCU is not to be had there.
 */
#ifndef STP_COMPAT_RCU_H
#define STP_COMPAT_RCU_H

#include <linux/rcupdate.h>

/* false: not now */
static inline bool stp_rcu_enter(void)
{
#ifdef STP_EXPORTED_rcu_is_watching
	if (unlikely(!rcu_is_watching()))
		return false;
#endif
	rcu_read_lock();
	return true;
}

static inline void stp_rcu_leave(void)
{
	rcu_read_unlock();
}
#endif
