/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `maps_replay < OUTPUT`: what examples/maps.stp said of its first process, replayed: do the changes add up to the table that it printed at the
 * process's end?  Says how many tables were the same, and shows the first difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct map {
	unsigned long start, end, off;
	char perms[8], path[200];
};
struct table {
	struct map m[20000];
	int n;
};
static struct table now, printed;
static int same, other, told[128];

/* An insertion that keeps the order; pieces cut off keep their place in the file. */
static void cut(struct table *t, unsigned long start, unsigned long end)
{
	static struct table out;

	out.n = 0;
	for (int i = 0; i < t->n; i++) {
		struct map m = t->m[i], left = m, right = m;

		if (m.end <= start || m.start >= end) {
			out.m[out.n++] = m;
			continue;
		}
		left.end = start;
		right.start = end;
		if (m.path[0] == '/')
			right.off += end - m.start;
		if (left.start < left.end)
			out.m[out.n++] = left;
		if (right.start < right.end)
			out.m[out.n++] = right;
	}
	memcpy(t->m, out.m, out.n * sizeof(out.m[0]));
	t->n = out.n;
}

static void put(struct table *t, const struct map *m)
{
	int i = t->n++;

	for (; i > 0 && t->m[i - 1].start > m->start; i--)
		t->m[i] = t->m[i - 1];
	t->m[i] = *m;
}

/* Neighbours that are alike as one. */
static void join(struct table *t)
{
	int n = 0;

	for (int i = 0; i < t->n; i++) {
		struct map *last = n ? &t->m[n - 1] : NULL, *m = &t->m[i];

		if (last && last->end == m->start && !strcmp(last->perms, m->perms) && !strcmp(last->path, m->path) &&
		    (m->path[0] != '/' || last->off + (m->start - last->start) == m->off))
			last->end = m->end;
		else
			t->m[n++] = *m;
	}
	t->n = n;
}

static void compare(void)
{
	int bad = 0;

	join(&now);
	join(&printed);
	for (int i = 0; i < now.n || i < printed.n; i++) {
		struct map *a = &now.m[i], *b = &printed.m[i];

		if (i < now.n && i < printed.n && a->start == b->start && a->end == b->end && a->off == b->off &&
		    !strcmp(a->perms, b->perms) && !strcmp(a->path, b->path))
			continue;
		if (!other)
			fprintf(stderr, "by the changes %lx-%lx %s %lx %s, printed %lx-%lx %s %lx %s\n", i < now.n ? a->start : 0,
				i < now.n ? a->end : 0, a->perms, a->off, a->path, i < printed.n ? b->start : 0, i < printed.n ? b->end : 0,
				b->perms, b->off, b->path);
		bad = 1;
		break;
	}
	same += !bad;
	other += bad;
}

static int read_map(const char *text, struct map *m)
{
	int at = 0;

	memset(m, 0, sizeof(*m));
	if (sscanf(text, "%lx-%lx %7s %lx %n", &m->start, &m->end, m->perms, &m->off, &at) < 4 || !at)
		return 0;
	snprintf(m->path, sizeof(m->path), "%s", text + at);
	m->path[strcspn(m->path, "\n")] = '\0';
	return 1;
}

/* A line of the table has the device and inode number before the path. */
static int read_line(const char *text, struct map *m)
{
	char *p;

	if (!read_map(text, m))
		return 0;
	p = m->path;
	p += strcspn(p, " ");
	p += strspn(p, " ");
	p += strcspn(p, " ");
	p += strspn(p, " ");
	memmove(m->path, p, strlen(p) + 1);
	return 1;
}

static void change(char sign, const char *text)
{
	unsigned long old = 0;
	struct map m;
	int at = 0;

	if (sign == '>') {
		sscanf(text, "%lx %n", &old, &at);
		text += at;
	}
	if (!read_map(text, &m))
		return;
	told[(int)sign]++;
	if (sign == '>')
		cut(&now, old, old + (m.end - m.start));
	cut(&now, m.start, m.end);
	if (sign != '-')
		put(&now, &m);
}

int main(void)
{
	static char line[5000];
	int pid, first = 0, at, in_table = 0;

	while (fgets(line, sizeof(line), stdin)) {
		struct map m;

		if (in_table && read_line(line, &m)) {
			put(&printed, &m);
			continue;
		}
		if (in_table)
			compare();
		in_table = 0;
		if (sscanf(line, "%d %n", &pid, &at) < 1)
			continue;
		first = first ? first : pid;
		if (pid != first)
			continue;
		if (!strncmp(line + at, "begins", 6)) {
			now.n = 0;
		} else if (!strncmp(line + at, "has at last", 11)) {
			in_table = 1;
			printed.n = 0;
		} else if (line[at + 1] == ' ') {
			change(line[at], line + at + 2);
		}
	}
	if (in_table)
		compare();
	printf("replayed: %d the same, %d other; told of %s\n", same, other, told['+'] > 100 && told['-'] > 50 && told['='] > 50 && told['>'] > 5 ?
	       "all kinds" : "too few");
	return 0;
}
