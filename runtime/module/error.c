/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Errors of handlers: their text with the script's position, MAXERRORS, and messages to the user. */
#include <linux/kernel.h>
#include <linux/string.h>
#include "port.h"
#include "session.h"
#include "transport.h"
#include "extras.h"


size_t stp_error_text(const struct stp_ctx *c, char *buf, size_t size)
{
	const struct stp_pos *pos = NULL;
	const char *what;

	if (c->err_pos < stp_script.npositions)
		pos = &stp_script.positions[c->err_pos];
	if (!pos || !pos->file)
		return scnprintf(buf, size, "%s", c->err);
	what = pos->what ?: "";
	return scnprintf(buf, size, "%s%s%s at %s:%u:%u", c->err, *what ? " near " : "", what, pos->file, pos->line, pos->col);
}

void stp_fail_str(struct stp_ctx *c, struct stp_str msg)
{
	struct stp_context *x = stp_context_of(c);
	size_t len = min_t(size_t, msg.len, sizeof(x->msg) - 1);

	if (c->err)
		return;
	memmove(x->msg, msg.p, len); /* the message of a caught error may be thrown again */
	x->msg[len] = '\0';
	c->err = x->msg;
}

struct stp_str stp_catch(struct stp_ctx *c)
{
	char *text = c->scratch;
	size_t room = c->scratch_end - c->scratch, len;

	if (!c->err)
		return STP_STR("");
	len = scnprintf(text, min_t(size_t, room, stp_script.config->maxstringlen), "%s", c->err);
	c->scratch += ALIGN(len, 8) <= room ? ALIGN(len, 8) : room;
	c->err = NULL;
	return (struct stp_str){ text, len };
}

/* Room for a message of its own, behind what the handler printed; false: lost, counted. */
static bool message_begin(struct stp_context *x)
{
	if (x->lost)
		stp_record_lost(x);
	else if (x->c.out.p)
		stp_record_commit(x, STP_REC_OUT);
	if (stp_sink_more(&x->c, &x->c.out, STP_MSG_MAX))
		return true;
	stp_record_lost(x);
	return false;
}

void stp_say(struct stp_context *x, u32 kind, const char *fmt, ...)
{
	va_list ap;

	if (!x)
		x = stp_context_process;
	if (!message_begin(x))
		return;
	va_start(ap, fmt);
	x->c.out.p += vscnprintf(x->c.out.p, STP_MSG_MAX, fmt, ap);
	va_end(ap);
	stp_record_commit(x, kind);
}

/* The first error that found no room in its ring: told at the end, in process context's. */
static char unsaid[STP_MSG_MAX];
static atomic_t unsaid_taken;

static void say_error(struct stp_context *x, u32 kind)
{
	if (!message_begin(x)) {
		if (!atomic_xchg(&unsaid_taken, 1))
			stp_error_text(&x->c, unsaid, sizeof(unsaid));
		return;
	}
	x->c.out.p += stp_error_text(&x->c, x->c.out.p, STP_MSG_MAX);
	stp_record_commit(x, kind);
}

stp_cold void stp_error_report(struct stp_context *x)
{
	const struct stp_config *cfg = stp_script.config;

	if (stp_extra(STP_AT_ERROR, 0, x)) {
		/* it was counted */
	} else if (cfg->suppress_errors) {
		atomic64_inc(&stp_session.suppressed);
	} else {
		say_error(x, STP_REC_ERROR);
		if (atomic64_inc_return(&stp_session.errors) > cfg->maxerrors && cfg->maxerrors >= 0)
			stp_session_end(true);
	}
	x->c.err = NULL;
	x->c.err_pos = 0;
	x->c.nesting = 0;
}

stp_cold void stp_session_fail(struct stp_context *x, const char *fmt, ...)
{
	struct stp_ctx *c = &x->c;
	va_list ap;

	if (!c->err) { /* else that error is being reported; the session ends all the same */
		va_start(ap, fmt);
		vscnprintf(x->msg, sizeof(x->msg), fmt, ap);
		va_end(ap);
		c->err = x->msg;
		c->err_pos = c->probe ? c->probe->loc : 0;
	}
	stp_session_end(true);
}

void stp_leaf_failed(struct stp_ctx *c)
{
	stp_finish(stp_context_of(c));
}

const char *stp_point_text(const struct stp_probe *p, u64 addr, char *buf, size_t size)
{
	const char *mark = strchr(p->point, '\001');
	const struct stp_probe_state *ps = stp_probe_state(p);
	bool all = !addr;
	char name[64] = "*";

	if (!mark)
		return p->point;
	if (p->kind == STP_UPROBE || p->kind == STP_URETURN)
		addr = 0;
	if (all && ps->nsites)
		addr = ps->sites[0].addr;
	if (addr)
		scnprintf(name, sizeof(name), "%ps", (void *)(uintptr_t)addr);
	name[strcspn(name, " ")] = '\0'; /* the module's name is behind it */
	if (all && ps->nsites > 1)
		scnprintf(buf, size, "%.*s%s%s and %u more", (int)(mark - p->point), p->point, name, mark + 1, ps->nsites - 1);
	else
		scnprintf(buf, size, "%.*s%s%s", (int)(mark - p->point), p->point, name, mark + 1);
	return buf;
}

stp_cold void stp_error_summary(void)
{
	const struct stp_probe_state *ps;
	u64 lost = 0;
	s64 errors = atomic64_read(&stp_session.errors), skipped = atomic64_read(&stp_session.skipped);
	s64 limit = stp_script.config->maxskipped, suppressed = atomic64_read(&stp_session.suppressed);

	if (unsaid[0])
		stp_say(NULL, STP_REC_ERROR, "%s", unsaid);
	if (errors || skipped)
		stp_warn("Number of errors: %lld, skipped probes: %lld", errors, skipped);
	if (limit >= 0 && skipped > limit) {
		stp_say(NULL, STP_REC_ERROR, "Skipped too many probes, check MAXSKIPPED (%lld)", limit);
		stp_session.failed = true;
	}
	if (suppressed)
		stp_warn("errors suppressed: %lld", suppressed);
	for (ps = stp_probes; ps < stp_probes + stp_script.nprobes; ps++)
		lost += atomic64_read(&ps->lost);
	if (lost)
		stp_warn("%llu records of output lost: the output buffer was full (see stap -s)", lost);
}
