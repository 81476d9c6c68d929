/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VARS_H
#define VARS_H

enum vars_kind { VARS_PLAIN, VARS_ODD = 7, VARS_NEGATIVE = -2 };

struct vars_node {
	struct vars_node *next;
	enum vars_kind kind;
	union {
		u32 word;
		u8 bytes[4];
	};
	unsigned int low : 5;
	signed int middle : 11;
	unsigned int high : 16;
	char name[12];
	short table[2][3];
	const char *text;
	int (*fn)(int value);
};

long vars_twin(long value);
#endif
