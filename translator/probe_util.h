/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small helpers that the probe providers (probe_*.c) share: reading the components of a point, writing
 * points as text, and making probes.
 */
#ifndef STAP_PROBE_UTIL_H
#define STAP_PROBE_UTIL_H

#include "provider.h"

/* A probe of `pr` for `p`, in the arena, with point (point_text), loc and attach kind filled in. */
struct probe *probe_new(struct session *s, const struct provider *pr, const struct point *p,
			enum attach_kind attach);

/* The point as text: components and arguments, without `?`, `!` and the condition. */
char *point_text(struct session *s, const struct point *p);

/* True when component number i exists and is called `name`. */
bool point_has(const struct point *p, size_t i, const char *name);

/* The number in component i: *ret, or -1 after an error when there is none or a string. */
int point_number(struct session *s, const struct point *p, size_t i, int64_t *ret);
/* The string in component i, or NULL after an error when there is none or a number. */
const char *point_string(struct session *s, const struct point *p, size_t i);
/* -1 after an error when component i has an argument. */
int point_no_arg(struct session *s, const struct point *p, size_t i);
/* -1 after an error when component i is there already, or is .call and .return is, or the other way round. */
int point_once(struct session *s, const struct point *p, size_t i);
/* The error for a component that does not belong there; `known` (may be NULL) lists what does, for
 * the nearest name.  Always -1. */
int point_unknown(struct session *s, const struct point *p, size_t i, const char *const *known);

/* Copies `name` with the arena's lifetime, quotes and backslashes escaped, in quotes. */
char *quote_text(struct session *s, const char *name);

/*
 * A context variable that the runtime keeps, as an expression of that type: read by stp_NAME(c), assigned by
 * stp_NAME_set(c, v) and, for strings, stp_NAME_append(c, v).  NULL after diag_error: e has members, or & before it.
 */
struct expr *named_value(struct session *s, const struct expr *e, const char *name, enum type type);

/* probe_data.c: no more watchpoints than there are debug registers; -1 after diag_error. */
int data_check_count(struct session *s);

/* probe_procfs.c: one probe for each file and direction; -1 after diag_error. */
int procfs_check_files(struct session *s);

/* probe_perf.c: the number of the probe that keeps the counter of that name (@perf), -1: none. */
int perf_counter_index(struct session *s, const char *name);

/* The providers; provider.c makes the table of them. */
extern const struct provider provider_begin, provider_timer, provider_kernel, provider_kprobe, provider_trace,
	provider_procfs, provider_data, provider_input, provider_netfilter, provider_perf,
	provider_process;

#endif
