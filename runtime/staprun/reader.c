/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies the module's output: one ring of records per CPU, mapped, put in order by the records'
 * sequence numbers (runtime/abi/stp_msg.h).  Numbers have no gaps, so the next one to print is
 * always known: it is at the front of some ring, or still being written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "staprun.h"

struct ring {
	struct stp_ring *head;  /* shared with the module */
	const char *data;
	uint64_t tail;          /* ours */
};

struct reader {
	struct ring *ring;
	unsigned nrings;
	uint64_t size;          /* of a ring's data, a power of two */
	uint64_t next;          /* sequence number to print next */
	bool started;           /* next is known */
	bool drop;              /* the output has failed */
	void *map;
	size_t map_size;
};

struct reader *reader_open(int control)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct stp_info info;
	long page = sysconf(_SC_PAGESIZE);

	if (!r || ioctl(control, STP_IOC_INFO, &info))
		goto fail;
	r->nrings = info.ncpus;
	r->size = info.ring_bytes;
	r->map_size = info.mmap_bytes;
	r->map = mmap(NULL, r->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, control, 0);
	r->ring = calloc(r->nrings, sizeof(*r->ring));
	if (r->map == MAP_FAILED || !r->ring)
		goto fail;
	for (unsigned i = 0; i < r->nrings; i++) {
		r->ring[i].head = (void *)((char *)r->map + (size_t)i * page);
		r->ring[i].data = (char *)r->map + (size_t)r->nrings * page + (size_t)i * r->size;
		r->ring[i].tail = __atomic_load_n(&r->ring[i].head->tail, __ATOMIC_RELAXED);
	}
	return r;
fail:
	complain("cannot map the module's output: %s", strerror(errno));
	free(r);
	return NULL;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	munmap(r->map, r->map_size);
	free(r->ring);
	free(r);
}

/* The first record of a ring that is complete, NULL when there is none; steps over padding. */
static const struct stp_rec *ring_front(struct reader *r, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->head->head, __ATOMIC_ACQUIRE);

	while (ring->tail != head) {
		uint64_t off = ring->tail & (r->size - 1);
		const struct stp_rec *rec = (const void *)(ring->data + off);

		/* no header fits into the last eight bytes: they are padding */
		if (r->size - off >= sizeof(*rec) && rec->kind != STP_REC_PAD)
			return rec;
		ring->tail += r->size - off;
		__atomic_store_n(&ring->head->tail, ring->tail, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void ring_advance(struct ring *ring, const struct stp_rec *rec)
{
	ring->tail += (sizeof(*rec) + rec->len + 7) & ~(uint64_t)7;
	__atomic_store_n(&ring->head->tail, ring->tail, __ATOMIC_RELEASE);
}

static int print_record(const struct reader *r, const struct stp_rec *rec)
{
	const char *text = (const char *)(rec + 1);

	switch (rec->kind) {
	case STP_REC_WARN:
		warn("%.*s", (int)rec->len, text);
		return 0;
	case STP_REC_ERROR:
		complain("%.*s", (int)rec->len, text);
		return 0;
	case STP_REC_SYSTEM:
		if (r->drop)
			return 0;
		if (output_flush())
			return -1;
		child_system(text, rec->len);
		return 0;
	case STP_REC_SWITCH:
		return r->drop ? 0 : output_switch();
	default:
		return r->drop ? 0 : output_write(text, rec->len);
	}
}

/* The ring whose front has the smallest number. */
static struct ring *first_ring(struct reader *r, const struct stp_rec **rec)
{
	struct ring *first = NULL;

	for (unsigned i = 0; i < r->nrings; i++) {
		const struct stp_rec *f = ring_front(r, &r->ring[i]);

		if (f && (!first || f->seq < (*rec)->seq)) {
			first = &r->ring[i];
			*rec = f;
		}
	}
	return first;
}

int reader_drain(struct reader *r, bool final)
{
	const struct stp_rec *rec = NULL;
	struct ring *ring;
	unsigned waits = 0;
	int rc = 0;

	while ((ring = first_ring(r, &rec))) {
		/* a smaller number is still being written: on a running CPU, so it will be there soon */
		if (r->started && rec->seq != r->next && waits++ < (final ? 200 : 20)) {
			struct timespec pause = { 0, 100000 };

			nanosleep(&pause, NULL);
			continue;
		}
		waits = 0;
		/* consecutive numbers mostly come from one ring: stay with it as long as they do */
		do {
			r->started = true;
			r->next = rec->seq + 1;
			if (print_record(r, rec)) {
				r->drop = true;
				rc = -1;
			}
			ring_advance(ring, rec);
			rec = ring_front(r, ring);
		} while (rec && rec->seq == r->next);
	}
	if (!r->drop && output_flush()) {
		r->drop = true;
		rc = -1;
	}
	return rc;
}
