/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/* Lists of probes by the event that they want (task_wants.h). */
#include <linux/slab.h>
#include "session.h"
#include "task_wants.h"

static struct stp_want *want_new(const struct stp_user_group *g)
{
	struct stp_want *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return NULL;
	w->p = g->ps->p;
	w->pid = g->pid;
	w->program = g->file;
	w->number = g->file ? stp_user_file_find(g->file->inode) : -1;
	w->tree = stp_session.target && !g->pid;
	g->ps->attached++;
	return w;
}

int stp_wants_collect(struct stp_want **lists, u32 n, u8 kind)
{
	const struct stp_user_group *g;
	struct stp_want **last;

	for (g = stp_user_groups; g; g = g->next) {
		const struct stp_probe *p = g->ps->p;

		if (p->kind != kind || p->arg < 0 || p->arg >= n)
			continue;
		for (last = &lists[p->arg]; *last; last = &(*last)->next)
			;
		*last = want_new(g);
		if (!*last)
			return -ENOMEM;
	}
	return 0;
}

void stp_wants_free(struct stp_want **lists, u32 n)
{
	struct stp_want *w, *next;

	for (; n--; lists++) {
		for (w = *lists; w; w = next) {
			next = w->next;
			kfree(w);
		}
		*lists = NULL;
	}
}
