/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of kernel symbols from /proc/kallsyms ("address type name" and, for modules, "\t[module]"),
 * or from tracefs' shorter list of the functions that ftrace can trace.  The file is read once, in big
 * pieces, against a hash table of the names wanted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "staprun.h"

/* Reads `path` piecewise and calls line() for each line (not terminated, without the newline), while that returns true. */
static int each_line(const char *path, bool (*line)(void *, const char *, size_t), void *data)
{
	size_t size = 1 << 20, have = 0;
	char *buf = malloc(size);
	int lowered = kptr_lower(), fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	bool more = true;

	kptr_restore(lowered);

	if (fd < 0 || !buf) {
		err = fd < 0 ? errno : ENOMEM;
		if (fd >= 0)
			close(fd);
		free(buf);
		errno = err;
		return -1;
	}
	while (more) {
		ssize_t n = read(fd, buf + have, size - have);
		char *p = buf, *nl;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			err = n < 0 ? errno : 0;
			break;
		}
		have += n;
		while (more && (nl = memchr(p, '\n', have - (p - buf)))) {
			more = line(data, p, nl - p);
			p = nl + 1;
		}
		have -= p - buf;
		memmove(buf, p, have);
		if (have == size)
			have = 0; /* a megabyte without a newline is no line of ours */
	}
	close(fd);
	free(buf);
	errno = err;
	return err ? -1 : 0;
}

static uint32_t hash_bytes(const char *p, size_t n)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	while (n--)
		h = (h ^ (unsigned char)*p++) * 16777619u;
	return h;
}

/* The table of the names wanted: indexes + 1 into the queries, open addressing. */
struct wanted {
	struct symbol_query *q;
	uint32_t *slot;
	size_t mask, missing;      /* missing: single ones not found yet, plus one for each that is not single */
	bool data, percpu;         /* the line at hand is about a variable, a per-CPU one */
	uint64_t data_start, data_end; /* the kernel's .data, once seen: lines come by address */
	uint64_t percpu_start, percpu_end; /* where per-CPU variables have addresses (x86 since 6.15); elsewhere they count from 0 */
	struct address_list *all;  /* traceable_resolve: every address of the list, too */
	bool shown;                /* some address is not 0 */
	bool failed;
};

static int wanted_init(struct wanted *w, struct symbol_query *q, size_t n)
{
	size_t slots = 64;

	while (slots < n * 2)
		slots *= 2;
	*w = (struct wanted){ .q = q, .slot = calloc(slots, sizeof(uint32_t)), .mask = slots - 1 };
	if (!w->slot)
		return complain("out of memory");
	for (size_t i = 0; i < n; i++) {
		size_t at = hash_bytes(q[i].symbol, strlen(q[i].symbol)) & w->mask;

		while (w->slot[at])
			at = (at + 1) & w->mask;
		w->slot[at] = i + 1;
		w->missing++;
	}
	return 0;
}

static void add_address(struct wanted *w, struct symbol_query *q, uint64_t addr)
{
	for (unsigned i = 0; i < q->naddr; i++)
		if (q->addr[i] == addr)
			return; /* two names for one place */
	if ((q->naddr & (q->naddr - 1)) == 0) {
		uint64_t *more = realloc(q->addr, (q->naddr ? q->naddr * 2 : 1) * sizeof(*more));

		if (!more) {
			w->failed = true;
			return;
		}
		q->addr = more;
	}
	q->addr[q->naddr++] = addr;
	if (q->single && q->naddr == 1)
		w->missing--;
}

/* Module names may be written with - or _. */
static bool same_module(const char *want, const char *have, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char a = want[i] == '-' ? '_' : want[i], b = have[i] == '-' ? '_' : have[i];

		if (a != b)
			return false;
	}
	return want[len] == '\0';
}

static bool hex_address(const char *p, uint64_t *addr)
{
	*addr = 0;
	for (int i = 0; i < 16; i++) {
		int c = p[i], d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (d < 0)
			return false;
		*addr = *addr << 4 | (unsigned)d;
	}
	return true;
}

struct symbol_line {
	uint64_t addr;
	const char *name, *module;
	size_t name_len, module_len;
};

/* Notes the address for every query of that name (its first `len` bytes: of what it is a copy of) in that module. */
static void take_named(struct wanted *w, const struct symbol_line *l, size_t len)
{
	for (size_t at = hash_bytes(l->name, len) & w->mask; w->slot[at]; at = (at + 1) & w->mask) {
		struct symbol_query *q = &w->q[w->slot[at] - 1];

		if (q->percpu == w->percpu && q->data == w->data && (len == l->name_len || q->clones) && !strncmp(q->symbol, l->name, len) &&
		    !q->symbol[len] && same_module(q->module, l->module, l->module_len))
			add_address(w, q, l->addr);
	}
}

static void take_symbol(struct wanted *w, const struct symbol_line *l)
{
	size_t base = memchr(l->name, '.', l->name_len) ? stp_clone_base(l->name, l->name_len) : 0;

	take_named(w, l, l->name_len);
	if (base)
		take_named(w, l, base);
}

/* The name at p, up to a module's name in brackets behind a blank or tab. */
static void take_line(struct wanted *w, uint64_t addr, const char *p, const char *end)
{
	const char *bracket = memchr(p, '[', end - p);

	if (bracket && bracket - p > 1 && end[-1] == ']')
		take_symbol(w, &(struct symbol_line){ addr, p, bracket + 1, bracket - 1 - p, end - bracket - 2 });
	else
		take_symbol(w, &(struct symbol_line){ addr, p, "vmlinux", end - p, 7 });
}

static void note_borders(struct wanted *w, uint64_t addr, const char *name, size_t len)
{
	static const struct { const char *name; size_t at; } borders[] = {
		{ "_sdata", offsetof(struct wanted, data_start) },
		{ "_edata", offsetof(struct wanted, data_end) },
		{ "__per_cpu_start", offsetof(struct wanted, percpu_start) },
		{ "__per_cpu_end", offsetof(struct wanted, percpu_end) },
	};

	if (*name != '_')
		return;
	for (size_t i = 0; i < sizeof(borders) / sizeof(*borders); i++)
		if (strlen(borders[i].name) == len && !memcmp(name, borders[i].name, len))
			*(uint64_t *)((char *)w + borders[i].at) = addr;
}

/* An offset, no address; or in their section; a module's have the letter of things that do not move. */
static bool is_percpu(const struct wanted *w, uint64_t addr, char letter)
{
	if (strchr("tTwW", letter))
		return false;
	if (!w->percpu_start)
		return !(addr >> 63);
	return letter == 'a' || (addr >= w->percpu_start && (!w->percpu_end || addr < w->percpu_end));
}

/* In 7.2, what lies in .data has the letter of text. */
static bool is_data(const struct wanted *w, uint64_t addr, char letter)
{
	return !strchr("tTwW", letter) || (w->data_start && !w->data_end) || (w->data_end && addr >= w->data_start && addr < w->data_end);
}

static bool kallsyms_line(void *data, const char *line, size_t len)
{
	struct wanted *w = data;
	uint64_t addr;

	/* 16 digits, blank, type, blank, name */
	if (len < 20 || !strchr("tTwWdDbBrRvVaA", line[17]) || !hex_address(line, &addr) || !addr)
		return true;
	w->shown = true;
	note_borders(w, addr, line + 19, len - 19);
	w->percpu = is_percpu(w, addr, line[17]);
	w->data = w->percpu || is_data(w, addr, line[17]);
	if (w->percpu || !strchr("aA", line[17]))
		take_line(w, addr, line + 19, line + len);
	return w->missing > 0;
}

static void list_add(struct wanted *w, uint64_t addr)
{
	struct address_list *l = w->all;

	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 1 << 16;
		uint64_t *more = realloc(l->addr, room * sizeof(*more));

		if (!more) {
			w->failed = true;
			return;
		}
		l->addr = more;
		l->room = room;
	}
	l->addr[l->n++] = addr;
}

/* available_filter_functions_addrs: 16 digits, blank, name */
static bool traceable_line(void *data, const char *line, size_t len)
{
	struct wanted *w = data;
	uint64_t addr;

	if (len >= 18 && hex_address(line, &addr) && addr) {
		list_add(w, addr);
		take_line(w, addr, line + 17, line + len);
	}
	return !w->failed;
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

bool address_list_has(const struct address_list *l, uint64_t addr)
{
	return l->n && bsearch(&addr, l->addr, l->n, sizeof(addr), compare_addresses);
}

int kallsyms_resolve(struct symbol_query *q, size_t n)
{
	struct wanted w;
	int rc;

	if (wanted_init(&w, q, n))
		return -1;
	rc = each_line("/proc/kallsyms", kallsyms_line, &w);
	free(w.slot);
	if (rc)
		return complain("cannot read /proc/kallsyms: %s", strerror(errno));
	if (!w.shown)
		return complain("the kernel hides its addresses; `sysctl kernel.kptr_restrict=1' shows them to root alone");
	return w.failed ? complain("out of memory") : 0;
}

/* Linux has the file since 6.5 (83f74441bcb1). */
int traceable_resolve(struct symbol_query *q, size_t n, struct address_list *all)
{
	static const char *const paths[] = {
		"/sys/kernel/tracing/available_filter_functions_addrs",
		"/sys/kernel/debug/tracing/available_filter_functions_addrs",
	};
	struct wanted w;
	int rc = -1;

	if (wanted_init(&w, q, n))
		return -1;
	w.all = all;
	for (unsigned i = 0; rc && i < 2; i++)
		rc = each_line(paths[i], traceable_line, &w);
	free(w.slot);
	if (all->n)
		qsort(all->addr, all->n, sizeof(*all->addr), compare_addresses);
	return rc || w.failed ? -1 : 0;
}

void kallsyms_free(struct symbol_query *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(q[i].addr);
}
