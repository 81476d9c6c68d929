/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output: one ring of records per possible CPU and one for process context, mapped by the loader
 * (layout in stp_msg.h).  Handlers write straight into their CPU's ring; a record becomes visible, and
 * gets its number, when the handler is through.
 */
#ifndef STP_TRANSPORT_H
#define STP_TRANSPORT_H

#include <linux/poll.h>
#include "context.h"
#include "stp_msg.h"

struct stp_outring {
	struct stp_ring *shared;        /* the page that the loader sees */
	char *data;
	u64 mask;                       /* bytes of data - 1 */
	u64 head;                       /* committed so far; the loader can not change it */
	u8 open;                        /* a record is being written */
} ____cacheline_aligned;

/* Process context: buffer_bytes a ring (0: default), rounded to a power of two. */
int stp_transport_create(u64 buffer_bytes);
void stp_transport_free(void);
struct stp_outring *stp_transport_ring(int cpu); /* -1: process context's */
/*
 * Whether the session goes on without a loader, which keeps the newest output instead of the oldest.  Process context, under
 * stp_session_lock; off before the rings are mapped again.
 */
void stp_transport_unread(bool on);
void stp_transport_info(struct stp_info *info);
int stp_transport_mmap(struct vm_area_struct *vma);
__poll_t stp_transport_poll(struct file *file, struct poll_table_struct *wait);

/* Room for n more bytes at o->p; false: there is none (strings: never).  The second for what the first leaves to it. */
bool stp_sink_more(struct stp_ctx *c, struct stp_sink *o, size_t n);
bool stp_sink_more_slow(struct stp_ctx *c, struct stp_sink *o, size_t n);
/* Publishes the record that x's handler wrote. */
void stp_record_commit(struct stp_context *x, u32 kind);
/* Counts a record that found no room; x may print again. */
void stp_record_lost(struct stp_context *x);

/* Wake the loader: soon (unless that is under way: stp_wake_armed), or now.  Any context. */
enum { STP_WAKE_NONE, STP_WAKE_SOON, STP_WAKE_HURRY };
extern u32 stp_wake_armed;
void stp_wake_soon(void);
void stp_wake_now(void);
#endif
