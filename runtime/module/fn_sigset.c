/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Library function: a set of signals as text. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "port.h"
#include "fn_more.h"
#include "str.h"

#define FIRST_REALTIME 32 /* as the kernel counts: SIGRTMIN */

static const char names[][10] = {
	"SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
	"SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN",
	"SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
};

struct stp_str stp_fn_sigset(struct stp_ctx *c, s64 mask)
{
	size_t room = stp_maxlen() + 1, len = 0;
	char *p = stp_tmp(c, room);
	int sig;

	for (sig = 1; p && sig <= 64; sig++) {
		const char *bar = len ? "|" : "";

		if (!((u64)mask >> (sig - 1) & 1))
			continue;
		if (sig < FIRST_REALTIME)
			len += scnprintf(p + len, room - len, "%s%s", bar, names[sig - 1]);
		else if (sig == FIRST_REALTIME)
			len += scnprintf(p + len, room - len, "%sSIGRTMIN", bar);
		else
			len += scnprintf(p + len, room - len, "%sSIGRTMIN+%d", bar, sig - FIRST_REALTIME);
	}
	return p ? (struct stp_str){ p, len } : STP_STR("");
}
