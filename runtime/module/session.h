/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The session: its states, what belongs to each probe, and how it ends.
 *
 * LOADED -> STARTING (begin handlers) -> RUNNING -> STOPPING (detached; end or error handlers) -> OVER.
 * State changes are made under stp_session_lock in process context; exit(), errors and limits only set
 * stp_session.ending and block the contexts, which works anywhere.
 */
#ifndef STP_SESSION_H
#define STP_SESSION_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include "context.h"
#include "stp_msg.h"

enum stp_state { STP_LOADED, STP_STARTING, STP_RUNNING, STP_STOPPING, STP_OVER };

struct stp_session {
	enum stp_state state;
	bool ending;                    /* nothing runs any more but end handlers */
	bool failed;                    /* ... and those are the error handlers */
	bool detached;                  /* outlives its loader */
	bool abandoned;                 /* the loader has gone: nobody reads */
	s32 target;
	s32 loader;                     /* its process */
	s32 tz_west;                    /* its time zone: seconds west of UTC, name */
	char tz_name[12];
	atomic64_t errors, suppressed, skipped;
	atomic_t overloads;
};
extern struct stp_session stp_session;
extern struct mutex stp_session_lock;
/* The same, for functions that use much of it: one reference to the symbol, offsets for the rest. */
static __always_inline struct stp_session *stp_session_base(void)
{
	struct stp_session *s = &stp_session;

	OPTIMIZER_HIDE_VAR(s);
	return s;
}

/*
 * The loader gives process numbers as its own pid namespace has them, everything here is in those of the whole machine.  What
 * there is no process for stays as it is.  In the loader's process.
 */
static inline s32 stp_pid_given(s32 nr)
{
	struct pid *pid = nr ? find_get_pid(nr) : NULL;
	s32 global = pid ? pid_nr(pid) : nr;

	put_pid(pid);
	return global;
}

/* What the runtime keeps for a probe. */
struct stp_probe_state {
	const struct stp_probe *p;
	struct stp_site *sites;         /* from the loader */
	u32 nsites;
	u32 attached;                   /* sites in use, for reports */
	void *hook;                     /* the hook's own */
	atomic64_t skips[STP_SKIP_REASONS];
	atomic64_t lost;                /* runs whose output found no room */
};
extern struct stp_probe_state *stp_probes; /* stp_script.nprobes of them */

static inline struct stp_probe_state *stp_probe_state(const struct stp_probe *p)
{
	return &stp_probes[p - stp_script.probes];
}

/* exit(), too many errors (failed): stop handlers now, tell the loader.  Any context. */
void stp_session_end(bool failed);
/* Begin handlers, then attach.  Process context, under the lock: 0 or -errno. */
int stp_session_start(s32 target, u32 flags);
/* Detach, end handlers, accounting.  Idempotent.  Process context, under the lock. */
void stp_session_stop(struct stp_stop_info *info);
/* The loader has gone.  Process context, under the lock. */
void stp_session_abandon(void);

/* globals.c, linked only into scripts that have globals (stp_script.globals_ops) */
struct stp_globals_ops {
	int (*create)(void);
	void (*free)(void);
	void (*report)(void); /* updates lost, at the end */
};

/* hook.c, linked only with hooks that have sites: what STP_IOC_SITES brings; 0 or -errno */
long stp_sites_set(const struct stp_sites __user *arg) __weak;
void stp_sites_free(void) __weak;
/* sites_report.c, linked only with probes that have STP_WILD: once all is attached, a warning for those that nothing is left of */
void stp_sites_report(void) __weak;

/* addresses.c, linked only into scripts that name data of the kernel: what STP_IOC_ADDRESSES brings; 0 or -errno */
long stp_addresses_set(const struct stp_addresses __user *arg) __weak;
/* module_addresses.c, only where some of it is in modules: watching them, from init to exit, not under the lock */
int stp_addresses_init(void) __weak;
void stp_addresses_exit(void) __weak;
/* user_file.c, user_site.c, linked only with probes of user programs: what STP_IOC_FILE and STP_IOC_USITES bring */
long stp_user_file_set(const struct stp_file __user *arg) __weak;
long stp_user_sites_set(const struct stp_usites __user *arg) __weak;
void stp_user_free(void) __weak;

/* modules.c, linked only into scripts that have sites in modules (stp_hook_modules): watching for arrivals and departures
 * from init to exit, neither under the lock; and what STP_IOC_MODULE and STP_IOC_ADDRS bring. */
struct stp_module;
struct stp_addrs;
void stp_lines_free(void) __weak; /* fn_symline.c */
int stp_modules_init(void) __weak;
void stp_modules_exit(void) __weak;
long stp_modules_set(const struct stp_module __user *arg) __weak;
long stp_modules_addrs(const struct stp_addrs __user *arg) __weak;

/* control.c */
int stp_control_create(void);
void stp_control_remove(void);

/* error.c: a record for the user.  From a handler's context, or (x NULL) from process context under the lock. */
__printf(3, 4) void stp_say(struct stp_context *x, u32 kind, const char *fmt, ...);
#define stp_warn(fmt, ...) stp_say(NULL, STP_REC_WARN, fmt, ##__VA_ARGS__)
/* The probe point into buf, with the name of the function at addr (0: of its first site, and how many more there are). */
const char *stp_point_text(const struct stp_probe *p, u64 addr, char *buf, size_t size);
/* Reports and clears the error of the handler that ran in x. */
void stp_error_report(struct stp_context *x);
/* Ends the session with a message, from a handler's context. */
__printf(2, 3) void stp_session_fail(struct stp_context *x, const char *fmt, ...);
/* "MSG near WHAT at FILE:LINE:COL" into buf; returns the length. */
size_t stp_error_text(const struct stp_ctx *c, char *buf, size_t size);

/* fn_ns.c, only where a script asks for numbers of a namespace: before the begin handlers, under the lock; 0 or -ESRCH; and when the module goes */
int stp_ns_hold(s32 pid) __weak;
void stp_ns_free(void) __weak;

/* fn_printk.c, only where a script uses it: waits for messages under way */
void stp_printk_drain(void) __weak;
/* The same for signals of raise(): waits until all are sent.  May sleep. */
void stp_raise_drain(void) __weak;

/* At the end: errors, and output lost. */
void stp_error_summary(void);
/* time.c, only with stap -t */
void stp_time_report(void) __weak;
/* account.c, only with hooks: what was skipped, at the end */
void stp_account_report(void) __weak;

#endif
