/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A module to probe, with known values: what each function gets and returns is below, and /proc/stap_target runs
 * them when a number is written to it, that many times.  What ran is counted in the same file.
 */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include "target.h"

unsigned long target_counts[TARGET_COUNTS];
static struct proc_dir_entry *entry;

/* There is another of this name in other.c. */
static noinline int target_twin(int value)
{
	target_counts[COUNT_TWIN_MAIN]++;
	return value + 1;
}

static __always_inline int target_inlined(int value)
{
	int doubled = value * 2;

	target_counts[COUNT_INLINED]++;
	barrier();
	return doubled + 3;
}

noinline int target_first(int value)
{
	return target_inlined(value) + target_twin(value);
}

noinline int target_second(int value)
{
	int sum = target_inlined(value + 100);

	if (value < 0)
		goto negative;
	sum += target_twin(value + 100);
	return sum;
negative:
	target_counts[COUNT_NEGATIVE]++;
	return -1;
}

noinline int target_recursive(int depth)
{
	int below;

	if (depth == 0)
		return 0;
	below = target_recursive(depth - 1);
	target_counts[COUNT_RECURSION]++;
	return below + depth;
}

static noinline int target_tail_end(int value)
{
	target_counts[COUNT_TAIL]++;
	return value * 10;
}

noinline int target_tail(int value)
{
	return target_tail_end(value + 1);
}

noinline long target_sum(const struct target_pair *pair, unsigned char step, short offset)
{
	long sum = 0;
	int i;

	for (i = 0; i < 4; i++)
		sum += pair->values[i] * step;
	target_counts[COUNT_SUM]++;
	return sum + pair->id + offset;
}
EXPORT_SYMBOL_GPL(target_sum);

#define CREATE_TRACE_POINTS
#include "trace.h"

static noinline void run_all(int n)
{
	struct target_pair pair = { .id = 7, .values = { 1, 2, 3, 4 }, .name = "pair" };

	target_first(n);
	target_second(n);
	target_second(-n);
	target_other(n);
	target_recursive(4);
	target_tail(n);
	target_sum(&pair, 3, -5);
	trace_drm_vblank_event(n, n * 10, 0, true);
}

static ssize_t target_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	unsigned int i, times;
	int rc = kstrtouint_from_user(from, len, 0, &times);

	if (rc)
		return rc;
	for (i = 0; i < times; i++)
		run_all(i + 1);
	return len;
}

static int target_show(struct seq_file *m, void *unused)
{
	static const char *const names[] = { "twin_main", "twin_other", "inlined", "negative", "recursion", "tail", "sum" };
	int i;

	for (i = 0; i < TARGET_COUNTS; i++)
		seq_printf(m, "%s %lu\n", names[i], target_counts[i]);
	return 0;
}

static int target_open(struct inode *inode, struct file *file)
{
	return single_open(file, target_show, NULL);
}

static const struct proc_ops target_ops = {
	.proc_open = target_open, .proc_read = seq_read, .proc_lseek = seq_lseek, .proc_release = single_release,
	.proc_write = target_write,
};

static int __init target_init(void)
{
	entry = proc_create("stap_target", 0600, NULL, &target_ops);
	return entry ? 0 : -ENOMEM;
}

static void __exit target_exit(void)
{
	proc_remove(entry);
}

noinline int target_weak(int value)
{
	return value + 2;
}

module_init(target_init);
module_exit(target_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Functions with known arguments, for stap's test suite");
