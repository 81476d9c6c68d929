/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables to look at: writing a number to /proc/stap_vars runs vars_run(), reading it shows the results.  Places that
 * are probed carry a word after "here:".
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include "vars.h"

int vars_global = -12;
static unsigned short vars_same = 1001; /* another one in twin.c */
static DEFINE_PER_CPU(long, vars_percpu);
struct vars_node *vars_head;
static long results[4];
static struct proc_dir_entry *entry;

static noinline int vars_add(int value)
{
	return value + vars_global;
}

static noinline void vars_use(const void *p)
{
	barrier_data(p);
}

static __always_inline long vars_inlined(const struct vars_node *node, int factor)
{
	long product = (long)node->word * factor;

	vars_use(&product);
	return product + 1; /* here: inlined */
}

/* Sums up a list; `limit` bounds its length. */
noinline long vars_scan(struct vars_node *list, int limit, u8 step)
{
	long total = 0;
	struct vars_node *at;
	int seen = 0;

	for (at = list; at && seen < limit; at = at->next) {
		char step[4] = "abc"; /* hides the parameter */

		vars_use(step);
		total += vars_inlined(at, seen + 2);
		seen++; /* here: loop */
		vars_use(&step);
	}
	vars_use(&total);
	return total + seen * step; /* here: done */
}

noinline long vars_many(long a, long b, long c, long d, long e, long f, long seventh, struct vars_node by_value)
{
	static int calls;

	calls++;
	vars_use(&by_value);
	return a + b * 2 + c * 3 + d + e + f + seventh + by_value.middle; /* here: many */
}

static noinline void vars_run(void)
{
	struct vars_node nodes[3] = {
		{ &nodes[1], VARS_ODD, { 0x01020304 }, 9, -800, 40000, "first", { { 1, 2, 3 }, { -4, 5, -6 } }, "one", vars_add },
		{ &nodes[2], VARS_NEGATIVE, { 100 }, 31, 1000, 1, "second", { { 0 } }, "two", NULL },
		{ NULL, VARS_PLAIN, { 5 }, 0, 0, 0, "third", { { 0 } }, NULL, NULL },
	};

	vars_head = nodes;
	WRITE_ONCE(vars_same, 1001);
	get_cpu_var(vars_percpu) = 4242;
	put_cpu_var(vars_percpu);
	results[0] = vars_scan(nodes, 10, 3);
	results[1] = vars_many(1, 2, 3, 4, 5, 6, 7000, nodes[0]);
	results[2] = vars_twin(vars_same);
	results[3]++;
	vars_head = NULL;
}

static ssize_t vars_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	vars_run();
	return len;
}

static int vars_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "%ld %ld %ld %ld\n", results[0], results[1], results[2], results[3]);
	return 0;
}

static int vars_open(struct inode *inode, struct file *file)
{
	return single_open(file, vars_show, NULL);
}

static const struct proc_ops vars_ops = {
	.proc_open = vars_open, .proc_read = seq_read, .proc_lseek = seq_lseek, .proc_release = single_release,
	.proc_write = vars_write,
};

static int __init vars_init(void)
{
	entry = proc_create("stap_vars", 0600, NULL, &vars_ops);
	return entry ? 0 : -ENOMEM;
}

static void __exit vars_exit(void)
{
	proc_remove(entry);
}

module_init(vars_init);
module_exit(vars_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Variables with known values, for stap's test suite");
