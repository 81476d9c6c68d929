/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * The rings: making room, publishing, waking the loader.
 *
 * A ring has one writer at a time: its CPU with interrupts off, or process context.  An NMI that finds
 * a record open on its CPU loses its output, counted.  Where the loader does not keep up, records are
 * lost, counted; process context waits instead.  Where there is no loader (staprun -L) the newest output
 * is kept and the oldest makes room.  The loader can write to the shared pages: nothing read from there is
 * trusted.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/timer.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "session.h"
#include "transport.h"
#include "extras.h"


#define RECORD_ALIGN 8
#define WAKE_JIFFIES msecs_to_jiffies(20)

static struct stp_rings {
	struct stp_outring *ring;
	u32 count;
	u64 ring_bytes, area_bytes;
	void *area;                     /* what the loader maps */
	bool unread;                    /* no loader has it mapped: handlers move the tails */
} rings;
static DECLARE_WAIT_QUEUE_HEAD(readers);

/* ---- waking ---- */
static void wake_timer_fn(struct timer_list *t);
static DEFINE_TIMER(wake_timer, wake_timer_fn);
u32 stp_wake_armed;                     /* until the timer has run */

static void wake_timer_fn(struct timer_list *t)
{
	WRITE_ONCE(stp_wake_armed, STP_WAKE_NONE);
	wake_up_interruptible(&readers);
}

/* A timer can not be armed from a probe (its locks may be held), but from an interrupt of our own. */
static void wake_soon_fn(struct irq_work *w)
{
	mod_timer(&wake_timer, jiffies + WAKE_JIFFIES);
}

static void wake_now_fn(struct irq_work *w)
{
	wake_up_interruptible(&readers);
}

static struct irq_work wake_soon_work = IRQ_WORK_INIT(wake_soon_fn);
static struct irq_work wake_now_work = IRQ_WORK_INIT(wake_now_fn);

void stp_wake_soon(void)
{
	if (READ_ONCE(stp_wake_armed))
		return;
	WRITE_ONCE(stp_wake_armed, STP_WAKE_SOON);
	irq_work_queue(&wake_soon_work);
}

void stp_wake_now(void)
{
	irq_work_queue(&wake_now_work);
}

/* ---- memory ---- */
/* One reference to the symbol, offsets for the rest. */
static __always_inline struct stp_rings *rings_base(void)
{
	struct stp_rings *r = &rings;

	OPTIMIZER_HIDE_VAR(r);
	return r;
}

struct stp_outring *stp_transport_ring(int cpu)
{
	struct stp_rings *r = rings_base();

	return &r->ring[cpu < 0 ? r->count - 1 : cpu];
}

int stp_transport_create(u64 buffer_bytes)
{
	struct stp_rings *r = rings_base();
	u32 i, n = nr_cpu_ids + 1;

	/* Default: a megabyte a CPU, less where there are many. */
	if (!buffer_bytes)
		buffer_bytes = clamp_t(u64, (64u << 20) / n, 128 << 10, 1 << 20);
	buffer_bytes = clamp_t(u64, buffer_bytes, 16 << 10, 64 << 20);
	buffer_bytes = PAGE_ALIGN(rounddown_pow_of_two(buffer_bytes));
	r->count = n;
	r->ring_bytes = buffer_bytes;
	r->area_bytes = n * (PAGE_SIZE + buffer_bytes);
	/* the kernel would end other processes to find what it takes */
	if ((s64)(r->area_bytes >> PAGE_SHIFT) > si_mem_available() / 2) {
		pr_err("%s: not memory enough for buffers of %llu MB (see -s)\n", THIS_MODULE->name, r->area_bytes >> 20);
		return -ENOMEM;
	}
	r->area = vmalloc_user(r->area_bytes);
	r->ring = kvzalloc_node(n * sizeof(*r->ring), GFP_KERNEL, NUMA_NO_NODE);
	if (!r->area || !r->ring)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		r->ring[i].shared = r->area + i * PAGE_SIZE;
		r->ring[i].mask = buffer_bytes - 1;
		r->ring[i].data = r->area + n * PAGE_SIZE + i * buffer_bytes;
	}
	return 0;
}

void stp_transport_free(void)
{
	struct stp_rings *r = rings_base();

	irq_work_sync(&wake_soon_work);
	irq_work_sync(&wake_now_work);
	timer_delete_sync(&wake_timer);
	kvfree(r->ring);
	kvfree(r->area);
}

void stp_transport_unread(bool on)
{
	struct stp_rings *r = rings_base();

	if (r->unread == on)
		return;
	WRITE_ONCE(r->unread, on);
	if (!on)
		synchronize_rcu(); /* handlers have interrupts off: none moves a tail any more */
}

void stp_transport_info(struct stp_info *info)
{
	struct stp_rings *r = rings_base();

	*info = (struct stp_info){ .version = STP_MSG_VERSION, .nprobes = stp_script.nprobes, .ncpus = r->count,
				   .ring_bytes = r->ring_bytes, .mmap_bytes = r->area_bytes,
				   .flags = stp_extra(STP_ASK_FLAGS, 0, NULL) };
}

int stp_transport_mmap(struct vm_area_struct *vma)
{
	struct stp_rings *r = rings_base();

	if (vma->vm_end - vma->vm_start != r->area_bytes || vma->vm_pgoff)
		return -EINVAL;
	return remap_vmalloc_range(vma, r->area, 0);
}

__poll_t stp_transport_poll(struct file *file, struct poll_table_struct *wait)
{
	struct stp_rings *r = rings_base();
	__poll_t mask = 0;
	u32 i;

	poll_wait(file, &readers, wait);
	for (i = 0; i < r->count; i++)
		if (READ_ONCE(r->ring[i].head) != READ_ONCE(r->ring[i].shared->tail))
			mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(stp_session.ending) || READ_ONCE(stp_session.state) == STP_OVER)
		mask |= EPOLLHUP;
	return mask;
}

/* ---- records ---- */
static u64 ring_used(const struct stp_outring *r)
{
	u64 used = r->head - smp_load_acquire(&r->shared->tail);

	return min(used, r->mask + 1); /* a tail that makes no sense: full */
}

/*
 * Finds room for a record of `have` bytes (header included) that is to grow by n; moves what there is
 * to the start of the ring when it would wrap.  Returns false when there is no room.
 */
static bool ring_place(struct stp_outring *r, struct stp_sink *o, size_t have, size_t n)
{
	u64 off = r->head & r->mask, behind = r->mask + 1 - off;
	u64 avail = (r->mask + 1 - ring_used(r)) & ~(u64)(RECORD_ALIGN - 1);
	size_t need = ALIGN(have + n, RECORD_ALIGN);

	if (need <= behind) {
		if (need > avail)
			return false;
		o->p = r->data + off + have;
		o->end = r->data + off + min(behind, avail);
		return true;
	}
	if (need > avail || behind > avail - need)
		return false;
	memmove(r->data, r->data + off, have);
	if (behind >= sizeof(struct stp_rec)) {
		struct stp_rec *pad = (void *)(r->data + off);

		*pad = (struct stp_rec){ .len = behind - sizeof(*pad), .kind = STP_REC_PAD };
	}
	r->head += behind;
	smp_store_release(&r->shared->head, r->head);
	o->p = r->data + have;
	o->end = r->data + (avail - behind);
	return true;
}

/*
 * Forgets the oldest records until there are n bytes of room; nobody reads them.  False: the ring is too small for n.
 * Interrupts are off.
 */
static bool ring_forget(struct stp_outring *r, u64 n)
{
	u64 tail = r->head - ring_used(r);

	if (n > r->mask)
		return false;
	while (r->mask + 1 - (r->head - tail) < n) {
		u64 off = tail & r->mask, behind = r->mask + 1 - off, step = behind;
		const struct stp_rec *rec = (const void *)(r->data + off);

		if (behind >= sizeof(*rec) && rec->kind != STP_REC_PAD)
			step = ALIGN(sizeof(*rec) + (u64)rec->len, RECORD_ALIGN);
		tail += min(step, r->head - tail);
	}
	smp_store_release(&r->shared->tail, tail);
	return true;
}

/* As ring_place(), and in a session that nobody reads there is room for all but the largest. */
static bool ring_take(struct stp_outring *r, struct stp_sink *o, size_t have, size_t n)
{
	u64 need = ALIGN(have + n, RECORD_ALIGN), behind = r->mask + 1 - (r->head & r->mask);

	if (likely(ring_place(r, o, have, n)))
		return true;
	return READ_ONCE(rings_base()->unread) && ring_forget(r, need > behind ? need + behind : need) &&
	       ring_place(r, o, have, n);
}

/*
 * Process context: until the loader has made room, however long who reads its output (a pager, say) takes.  False: it has gone. The loader
 * reads in another thread than the one that calls here.  Other processes come by with warnings (a module arrives, say), under the lock that
 * the loader's end needs: they do not wait.
 */
static bool wait_for_room(struct stp_outring *r)
{
	u64 tail = READ_ONCE(r->shared->tail);

	while (READ_ONCE(r->shared->tail) == tail) {
		if (fatal_signal_pending(current) || READ_ONCE(stp_session.abandoned) || task_tgid_nr(current) != stp_session.loader)
			return false;
		wake_up_interruptible(&readers);
		usleep_range(1000, 2000);
	}
	return true;
}

/* What does not fit the ring at all goes out in pieces. */
static bool grow_waiting(struct stp_context *x, struct stp_sink *o, size_t have, size_t n)
{
	struct stp_outring *r = x->ring;

	if (have + n > r->mask / 4 && have > sizeof(struct stp_rec)) {
		stp_record_commit(x, STP_REC_OUT);
		have = sizeof(struct stp_rec);
		r->open = 1;
	}
	while (!ring_take(r, o, have, n))
		if (n > r->mask / 2 || READ_ONCE(rings_base()->unread) || !wait_for_room(r))
			return false;
	return true;
}

/* No record is open (any more) but out.p says that there is something for stp_finish. */
static stp_cold bool record_fail(struct stp_context *x, bool opened)
{
	static char nowhere;

	x->lost = 1;
	x->c.out.p = x->c.out.end = &nowhere;
	barrier();
	if (opened)
		x->ring->open = 0;
	return false;
}

bool stp_sink_more_slow(struct stp_ctx *c, struct stp_sink *o, size_t n)
{
	struct stp_context *x = stp_context_of(c);
	struct stp_outring *r = x->ring;
	size_t have = sizeof(struct stp_rec);

	if (unlikely(o->string || x->lost))
		return false;
	if (likely(!o->p)) {
		if (unlikely(r->open)) /* by the handler that this NMI interrupted */
			return record_fail(x, false);
		r->open = 1;
		barrier();
	} else {
		have = o->p - (r->data + (r->head & r->mask));
	}
	if (likely(!x->process)) {
		if (likely(ring_take(r, o, have, n)))
			return true;
	} else if (grow_waiting(x, o, have, n)) {
		return true;
	}
	return record_fail(x, true);
}

void stp_record_lost(struct stp_context *x)
{
	x->lost = 0;
	x->c.out.p = x->c.out.end = NULL;
	if (x->c.probe)
		atomic64_inc(&stp_probe_state(x->c.probe)->lost);
}
