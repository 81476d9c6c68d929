/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TARGET_H
#define TARGET_H

struct target_pair {
	int id;
	int values[4];
	char name[8];
};

enum { COUNT_TWIN_MAIN, COUNT_TWIN_OTHER, COUNT_INLINED, COUNT_NEGATIVE, COUNT_RECURSION, COUNT_TAIL, COUNT_SUM, TARGET_COUNTS };
extern unsigned long target_counts[TARGET_COUNTS];

int target_first(int value);
int target_second(int value);
int target_other(int value);
int target_elsewhere(int value);
int target_alias(int value);
int target_weak(int value);
int target_copies(int value);
int target_recursive(int depth);
int target_tail(int value);
long target_sum(const struct target_pair *pair, unsigned char step, short offset);
#endif
