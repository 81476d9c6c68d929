/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What users' embedded C calls (abi/stp_embed.h), and the glue between it and generated C: views of strings on one
 * side, NUL-terminated arrays on the other.  Linked only where a script has embedded C.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "port.h"
#include "deref.h"
#include "fn.h"
#include "session.h"
#include "transport.h"
#include "stp_embed.h"

#define USER_PIECE 32 /* bytes of a user string read at once */

/* ---- strings ---- */

void stp_embed_copy(char *to, size_t size, struct stp_str s);
struct stp_str stp_embed_view(const char *p, size_t size);
const char *stp_embed_text(struct stp_ctx *c, struct stp_str s);

void stp_embed_copy(char *to, size_t size, struct stp_str s)
{
	size_t len = min(s.len, size - 1);

	stp_memcpy(to, s.p, len);
	to[len] = '\0';
}

struct stp_str stp_embed_view(const char *p, size_t size)
{
	return (struct stp_str){ p, p ? strnlen(p, size - 1) : 0 };
}

/* A copy in scratch, "" when there is no room (and the error set). */
const char *stp_embed_text(struct stp_ctx *c, struct stp_str s)
{
	char *p = stp_tmp(c, s.len + 1);

	if (!p)
		return "";
	stp_embed_copy(p, s.len + 1, s);
	return p;
}

size_t stp_embed_strlcpy(char *to, const char *from, size_t size)
{
	size_t len = strlen(from), n = min(len, size ? size - 1 : 0);

	if (size) {
		stp_memmove(to, from, n); /* the argument may be the buffer itself */
		to[n] = '\0';
	}
	return len;
}

size_t stp_embed_strlcat(char *to, const char *from, size_t size)
{
	size_t have = strnlen(to, size);

	return have + stp_embed_strlcpy(to + have, from, size - have);
}

/* ---- the context ---- */

void stp_embed_enter(struct stp_ctx *ctx, struct context *c, u32 flags)
{
	struct pt_regs *regs = flags & STP_EMBED_REGS ? (struct pt_regs *)ctx->regs : NULL;

	*c = (struct context){ .stp = ctx };
	if (flags & STP_EMBED_POINT)
		c->probe_point = stp_embed_text(ctx, stp_fn_pp(ctx));
	if (flags & STP_EMBED_BUFFER) {
		c->error_buffer = stp_tmp(ctx, stp_script.config->maxstringlen);
		if (!c->error_buffer)
			c->error_buffer = stp_context_of(ctx)->token; /* the handler ends with an error anyway */
		*c->error_buffer = '\0';
	}
	if (regs && user_mode(regs))
		c->uregs = regs;
	else
		c->kregs = regs;
}

u32 stp_embed_leave(struct stp_ctx *ctx, struct context *c)
{
	if (c->last_error && *c->last_error)
		stp_fail_str(ctx, (struct stp_str){ c->last_error, strlen(c->last_error) });
	return c->next;
}

void stp_embed_error(struct stp_ctx *ctx, const char *fmt, ...)
{
	struct stp_context *x = stp_context_of(ctx);
	va_list ap;

	if (ctx->err)
		return;
	va_start(ap, fmt);
	vscnprintf(x->msg, sizeof(x->msg), fmt, ap);
	va_end(ap);
	ctx->err = x->msg;
}

/*
 * The context of the handler that called.  Handlers on a CPU end before what they interrupted goes on, so the
 * innermost busy one is the caller's; process context is the caller's when no other is busy.
 */
static struct stp_context *context_here(void)
{
	struct stp_context *x = stp_context_process, *cpu, *nmi;
	unsigned long flags;

	raw_local_irq_save(flags);
	cpu = raw_cpu_read(stp_context_ptr);
	nmi = raw_cpu_read(stp_context_nmi);
	if (in_nmi() && nmi->busy)
		x = nmi;
	else if (cpu->busy)
		x = cpu;
	raw_local_irq_restore(flags);
	return x;
}

/* ---- output ---- */

void _stp_vprintf(const char *fmt, va_list ap)
{
	struct stp_ctx *c = &context_here()->c;
	struct stp_sink *o = stp_out(c);
	va_list again;
	int need;

	va_copy(again, ap);
	need = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (need <= 0)
		return;
	if ((!o->p || (size_t)(o->end - o->p) <= need) && !stp_sink_more(c, o, need + 1))
		return;
	o->p += vscnprintf(o->p, need + 1, fmt, ap);
}

void _stp_printf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_stp_vprintf(fmt, ap);
	va_end(ap);
}

void _stp_print(const char *str)
{
	struct stp_ctx *c = &context_here()->c;

	stp_put(c, stp_out(c), str, strlen(str));
}

void _stp_warn(const char *fmt, ...)
{
	struct va_format vf = { .fmt = fmt };
	va_list ap;

	va_start(ap, fmt);
	vf.va = &ap;
	stp_say(context_here(), STP_REC_WARN, "%pV", &vf);
	va_end(ap);
}

/* Ends the session, like the function it is named after. */
void _stp_error(const char *fmt, ...)
{
	struct va_format vf = { .fmt = fmt };
	va_list ap;

	va_start(ap, fmt);
	vf.va = &ap;
	stp_say(context_here(), STP_REC_ERROR, "%pV", &vf);
	va_end(ap);
	stp_session_end(true);
}

void _stp_exit(void)
{
	stp_session_end(false);
}

/* ---- memory ---- */

bool stp_embed_read(struct stp_ctx *ctx, void *to, const void *from, size_t n, bool user)
{
	return user ? stp_copy_user(ctx, to, (unsigned long)from, n) : stp_copy_mem(ctx, to, (unsigned long)from, n);
}

bool stp_embed_write(struct stp_ctx *ctx, void *to, const void *from, size_t n, bool user)
{
	while (n && !ctx->err) {
		size_t step = n >= 8 ? 8 : n >= 4 ? 4 : n >= 2 ? 2 : 1;
		u64 v = 0;

		stp_memcpy(&v, from, step);
		if (user)
			stp_ustore(ctx, (unsigned long)to, step, v);
		else
			stp_store(ctx, (unsigned long)to, step, v);
		to += step;
		from += step;
		n -= step;
	}
	return !ctx->err;
}

bool stp_embed_string(struct stp_ctx *ctx, char *to, const void *from, size_t max, bool user)
{
	char *mark = ctx->scratch;
	struct stp_str s;

	if (!max)
		return true;
	s = user ? stp_ucstr(ctx, (unsigned long)from, max - 1) : stp_cstr(ctx, (unsigned long)from, max - 1);
	stp_embed_copy(to, max, s);
	ctx->scratch = mark;
	return !ctx->err;
}

unsigned long _stp_copy_from_user(char *to, const char __user *from, unsigned long n)
{
	return copy_from_user_nofault(to, from, n) ? n : 0;
}

long _stp_strncpy_from_user(char *to, const char __user *from, long n)
{
	long len = 0;

	while (len < n) {
		size_t step = min_t(size_t, USER_PIECE - ((unsigned long)(from + len) & (USER_PIECE - 1)), n - len), got;

		if (copy_from_user_nofault(to + len, from + len, step))
			return -EFAULT;
		got = strnlen(to + len, step);
		len += got;
		if (got < step)
			break;
	}
	return len;
}
