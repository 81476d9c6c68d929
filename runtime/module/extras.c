/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* The parts of a module that not all have (extras.h). */
#include <linux/errno.h>
#include "hook.h"
#include "extras.h"
#include "ufile.h"

extern const char stp_err_starved[] __weak; /* comes with maps */
extern const char stp_err_no_result[] __weak; /* comes with probes of programs */
extern typeof(stp_count_skip) stp_count_skip __weak; /* comes with hooks */

/* task_watch.c, linked only with what asks who a task is */
extern int stp_task_watch_start(void) __weak;
extern void stp_task_watch_stop(void) __weak;

static long hook_command(unsigned int cmd, void __user *arg)
{
	const struct stp_hook *const *h;
	long rc = -ENOTTY;

	for (h = stp_hooks; *h && rc == -ENOTTY; h++)
		if ((*h)->command)
			rc = (*h)->command(cmd, arg);
	return rc;
}

static void hooks_started(void)
{
	const struct stp_hook *const *h;

	for (h = stp_hooks; *h; h++)
		if ((*h)->started)
			(*h)->started();
}

static long command(unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case STP_IOC_SITES: return stp_sites_set ? stp_sites_set(arg) : -EINVAL;
	case STP_IOC_ADDRESSES: return stp_addresses_set ? stp_addresses_set(arg) : -EINVAL;
	case STP_IOC_MODULE: return stp_modules_set ? stp_modules_set(arg) : -EINVAL;
	case STP_IOC_ADDRS: return stp_modules_addrs ? stp_modules_addrs(arg) : -EINVAL;
	case STP_IOC_FILE: return stp_user_file_set ? stp_user_file_set(arg) : -EINVAL;
	case STP_IOC_USITES: return stp_user_sites_set ? stp_user_sites_set(arg) : -EINVAL;
	}
	return hook_command(cmd, arg);
}

/* These come from a thread of their own, also while probes are being attached. */
static long free_command(unsigned int cmd, void __user *arg)
{
	if (cmd == STP_IOC_FILE_NEXT && stp_ufile_next)
		return stp_ufile_next(arg);
	if (cmd == STP_IOC_TABLE && stp_ufile_table)
		return stp_ufile_table(arg);
	return -ENOTTY;
}

static int init(void)
{
	int rc = stp_addresses_init ? stp_addresses_init() : 0;

	if (rc || !stp_modules_init)
		return rc;
	rc = stp_modules_init();
	if (rc && stp_addresses_exit)
		stp_addresses_exit();
	return rc;
}

static void drain(void)
{
	if (stp_printk_drain)
		stp_printk_drain();
	if (stp_addresses_exit)
		stp_addresses_exit();
	if (stp_modules_exit)
		stp_modules_exit();
	if (stp_raise_drain)
		stp_raise_drain();
}

static void free_parts(void)
{
	if (stp_sites_free)
		stp_sites_free();
	if (stp_user_free)
		stp_user_free();
	if (stp_ufile_free_all)
		stp_ufile_free_all();
	if (stp_lines_free)
		stp_lines_free();
	if (stp_ns_free)
		stp_ns_free();
}

/* A map's pool was empty although no limit was reached; a call's result was asked for that is not known. */
static long counted(struct stp_context *x)
{
	bool starved = stp_err_starved && x->c.err == stp_err_starved;

	if (!stp_count_skip || (!starved && (!stp_err_no_result || x->c.err != stp_err_no_result)))
		return 0;
	stp_count_skip(x->c.probe, starved ? STP_SKIP_MEMORY : STP_SKIP_RESULT);
	return 1;
}

long stp_extras(enum stp_moment moment, unsigned int cmd, void *arg)
{
	switch (moment) {
	case STP_AT_INIT:
		return init();
	case STP_AT_ATTACH:
		return stp_task_watch_start ? stp_task_watch_start() : 0;
	case STP_AT_STARTED:
		if (stp_sites_report)
			stp_sites_report();
		hooks_started();
		return 0;
	case STP_AT_DETACHED:
		if (stp_task_watch_stop)
			stp_task_watch_stop();
		return 0;
	case STP_AT_ERROR:
		return counted(arg);
	case STP_AT_REPORT:
		if (stp_time_report)
			stp_time_report();
		if (stp_account_report)
			stp_account_report();
		return 0;
	case STP_AT_DRAIN:
		drain();
		return 0;
	case STP_AT_FREE:
		free_parts();
		return 0;
	case STP_ASK_FLAGS:
		return stp_ufile_next ? STP_INFO_TABLES : 0;
	case STP_AT_COMMAND:
		return command(cmd, (__force void __user *)arg);
	case STP_AT_FREE_COMMAND:
		return free_command(cmd, (__force void __user *)arg);
	}
	return 0;
}
