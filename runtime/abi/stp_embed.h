/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What users' embedded C may use, besides the kernel: included before it, compiled with it against the kernel's
 * headers.  The conventions are those of scripts written for SystemTap.
 *
 * In a function's code: STAP_ARG_x (long: s64, string: char[MAXSTRINGLEN]), STAP_RETVALUE, STAP_RETURN(v),
 * STAP_ERROR(fmt, ...), STAP_NEXT, STAP_PRINTF(fmt, ...), THIS->x and THIS->__retvalue, CONTEXT (struct context *),
 * STAP_GLOBAL_GET_x(keys...), STAP_GLOBAL_SET_x(keys..., v).  MAXSTRINGLEN is the script's.
 * The code runs where the probe does, with interrupts off as a rule: it may neither sleep nor take long.
 */
#ifndef STP_EMBED_H
#define STP_EMBED_H

#include <linux/module.h>
#include <linux/version.h>
#include <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/string.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/mm.h>
#include <linux/fs.h>
#include <linux/file.h>
#include <linux/dcache.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/mm.h>
#include <linux/pid.h>
#include <linux/cred.h>
#include <linux/uaccess.h>
#include <linux/spinlock.h>
#include <linux/rcupdate.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/jiffies.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/random.h>
#include <linux/ptrace.h>
#include <linux/ctype.h>

/* Users' code is not held to the kernel's own style. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#pragma GCC diagnostic ignored "-Wdeclaration-after-statement"
#pragma GCC diagnostic ignored "-Wunused"
#pragma GCC diagnostic ignored "-Wpointer-sign"

struct stp_ctx;

/* CONTEXT.  A field that is not here does not exist, and using it is an error of the compiler's. */
struct context {
	struct stp_ctx *stp;
	const char *last_error;        /* set it to end the handler with this error */
	const char *last_stmt;         /* accepted and not looked at */
	char *error_buffer;            /* MAXSTRINGLEN bytes for the text of an error */
	const char *probe_point;       /* as pp() gives it */
	struct pt_regs *kregs, *uregs; /* at the probe, or NULL: of the kernel or of a user program */
	u32 next;                      /* STAP_NEXT was used */
};

enum { STP_EMBED_BUFFER = 1, STP_EMBED_REGS = 2, STP_EMBED_POINT = 4 };
/* Around a piece: fills the context; flags say that it uses error_buffer, kregs or uregs, probe_point. */
void stp_embed_enter(struct stp_ctx *ctx, struct context *c, u32 flags);
/* ... and makes an error of last_error.  Returns c->next. */
u32 stp_embed_leave(struct stp_ctx *ctx, struct context *c);

__printf(2, 3) void stp_embed_error(struct stp_ctx *ctx, const char *fmt, ...);
/* Fault-safe copies; false with the script's error set.  User: of the current process. */
bool stp_embed_read(struct stp_ctx *ctx, void *to, const void *from, size_t n, bool user);
bool stp_embed_write(struct stp_ctx *ctx, void *to, const void *from, size_t n, bool user);
bool stp_embed_string(struct stp_ctx *ctx, char *to, const void *from, size_t max, bool user);
size_t stp_embed_strlcpy(char *to, const char *from, size_t size);
size_t stp_embed_strlcat(char *to, const char *from, size_t size);

/* Output and messages of the handler that runs on this CPU; usable in functions of the user's own. */
__printf(1, 2) void _stp_printf(const char *fmt, ...);
__printf(1, 0) void _stp_vprintf(const char *fmt, va_list ap);
void _stp_print(const char *str);
__printf(1, 2) void _stp_warn(const char *fmt, ...);
__printf(1, 2) void _stp_error(const char *fmt, ...);
void _stp_exit(void);
#define _stp_print_flush() do { } while (0)
#define _stp_snprintf scnprintf
#define _stp_vsnprintf vscnprintf
#define _stp_dbug(func, line, fmt, ...) do { } while (0)

/* Without an error in the script: bytes that could not be copied; length of the string or -EFAULT. */
unsigned long _stp_copy_from_user(char *to, const char __user *from, unsigned long n);
long _stp_strncpy_from_user(char *to, const char __user *from, long n);

#define CONTEXT c
#define STAP_ERROR(...) do { stp_embed_error(CONTEXT->stp, __VA_ARGS__); __stp_leave; } while (0)
#define STAP_NEXT do { CONTEXT->next = 1; __stp_leave; } while (0)
#define STAP_PRINTF(...) _stp_printf(__VA_ARGS__)

/* kread(&p->x), kwrite(&p->x, v), uread, uwrite: a fault ends the handler. */
#define __stp_get(ptr, user) ({ \
	__unqual_scalar_typeof(*(ptr)) __stp_v; \
	if (!stp_embed_read(CONTEXT->stp, (void *)&__stp_v, (const void *)(unsigned long)(ptr), sizeof(__stp_v), user)) \
		__stp_leave; \
	__stp_v; \
})
#define __stp_set(ptr, value, user) ({ \
	__unqual_scalar_typeof(*(ptr)) __stp_v = (__typeof__(*(ptr)))(value); \
	if (!stp_embed_write(CONTEXT->stp, (void *)(unsigned long)(ptr), &__stp_v, sizeof(__stp_v), user)) \
		__stp_leave; \
})
#define kread(ptr) __stp_get(ptr, false)
#define uread(ptr) __stp_get(ptr, true)
#define kwrite(ptr, value) __stp_set(ptr, value, false)
#define uwrite(ptr, value) __stp_set(ptr, value, true)

/* The same by size and address; the value is zero-extended. */
#define __stp_get_n(size, addr, user) ({ \
	u64 __stp_v = 0; \
	if ((size) > sizeof(__stp_v) || \
	    !stp_embed_read(CONTEXT->stp, &__stp_v, (const void *)(unsigned long)(addr), (size), user)) \
		__stp_leave; \
	__stp_v; \
})
#define __stp_set_n(size, addr, value, user) ({ \
	u64 __stp_v = (u64)(value); \
	if ((size) > sizeof(__stp_v) || \
	    !stp_embed_write(CONTEXT->stp, (void *)(unsigned long)(addr), &__stp_v, (size), user)) \
		__stp_leave; \
})
#define deref(size, addr) __stp_get_n(size, addr, false)
#define kderef(size, addr) __stp_get_n(size, addr, false)
#define uderef(size, addr) __stp_get_n(size, addr, true)
#define store_deref(size, addr, value) __stp_set_n(size, addr, value, false)
#define store_kderef(size, addr, value) __stp_set_n(size, addr, value, false)
#define store_uderef(size, addr, value) __stp_set_n(size, addr, value, true)

#define __stp_get_bytes(dst, addr, n, user) ({ \
	if (!stp_embed_read(CONTEXT->stp, (dst), (const void *)(unsigned long)(addr), (n), user)) \
		__stp_leave; \
})
#define __stp_get_string(dst, addr, max, user) ({ \
	if (!stp_embed_string(CONTEXT->stp, (dst), (const void *)(unsigned long)(addr), (max), user)) \
		__stp_leave; \
})
#define kderef_buffer(dst, addr, n) __stp_get_bytes(dst, addr, n, false)
#define uderef_buffer(dst, addr, n) __stp_get_bytes(dst, addr, n, true)
#define deref_buffer(dst, addr, n) __stp_get_bytes(dst, addr, n, false)
#define kderef_string(dst, addr, max) __stp_get_string(dst, addr, max, false)
#define uderef_string(dst, addr, max) __stp_get_string(dst, addr, max, true)
#define deref_string(dst, addr, max) __stp_get_string(dst, addr, max, false)
#define CATCH_DEREF_FAULT() do { } while (0)

/* Newer kernels have no strlcpy(). */
#undef strlcpy
#undef strlcat
#define strlcpy(to, from, size) stp_embed_strlcpy(to, from, size)
#define strlcat(to, from, size) stp_embed_strlcat(to, from, size)

#endif
