/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printk() of scripts.  The console's and the scheduler's locks may be held where a probe hits, so that
 * messages wait in slots for an interrupt of our own.
 */
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "fn.h"
#include "session.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define SLOTS 16
#define TEXT_MAX 240

enum { FREE, WRITING, READY };
static struct {
	int state;
	char level;
	char text[TEXT_MAX];
} slot[SLOTS];

static void print_slots(struct irq_work *w)
{
	int i;

	for (i = 0; i < SLOTS; i++) {
		if (smp_load_acquire(&slot[i].state) != READY)
			continue;
		printk("%c%c%s\n", KERN_SOH_ASCII, slot[i].level, slot[i].text);
		smp_store_release(&slot[i].state, FREE);
	}
}
static struct irq_work work = IRQ_WORK_INIT(print_slots);

void stp_fn_printk(struct stp_ctx *c, s64 level, struct stp_str msg)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		if (cmpxchg(&slot[i].state, FREE, WRITING) == FREE)
			break;
	if (i == SLOTS) {
		stp_fail(c, "printk: too many messages at once");
		return;
	}
	slot[i].level = '0' + (level >= 0 && level <= 7 ? level : 6);
	scnprintf(slot[i].text, TEXT_MAX, "%.*s", (int)msg.len, msg.p);
	smp_store_release(&slot[i].state, READY);
	irq_work_queue(&work);
}

void stp_printk_drain(void)
{
	irq_work_sync(&work);
}
