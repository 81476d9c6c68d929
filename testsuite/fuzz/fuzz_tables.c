/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target for tables of user programs: the bytes are an ELF file, or (when they begin with "TABLE") changes to a good table, or
 * else a list as just-in-time compilers write it.  Every table that stap-tables makes has to be one that the module takes, and from
 * every table that the module takes all its readers read, in memory that is exactly as large.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tables.h"
#include "utab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ADDRESSES 200

static bool read_word(void *data, u64 addr, u64 *v)
{
	*v = addr * 0x9e3779b97f4a7c15ULL;
	return addr & 0x80;
}

static void ask_symbol(const struct stp_utab *t, const struct stp_utab_list *l, u64 addr, char *name)
{
	struct stp_utab_sym s;

	if (stp_utab_find(t, l, addr, &s) && stp_utab_name(t, l, &s, name, STP_UTAB_NAME) > STP_UTAB_NAME)
		abort();
}

static void ask(const struct stp_utab *t)
{
	char *name = malloc(STP_UTAB_NAME);
	u64 all[16] = { 0x1000 }, addr, at, i;
	struct stp_uregs r;
	const char *file;
	bool signal;
	u32 line;

	for (i = 0; i < ADDRESSES; i++) {
		addr = t->base + (i < 100 ? i * 37 : i * i * 977);
		if (stp_utab_addr(t, i * 331, i & 1, &at))
			addr = i % 3 ? at : addr;
		ask_symbol(t, &t->func, addr, name);
		ask_symbol(t, &t->data, addr, name);
		file = stp_utab_line(t, addr, &line);
		if (file && strlen(file) > t->size)
			abort();
		r = (struct stp_uregs){ addr, 0x7fff0000, 0x7fff0100, true, i & 1 ? all : NULL };
		stp_utab_step(stp_utab_rule(t, addr), addr, &r, read_word, NULL, &signal);
	}
	free(name);
}

/* A table of its own size. */
static struct stp_utab *copy_of(const void *p, size_t n)
{
	struct stp_utab *t = malloc(n ? n : 1);

	memcpy(t, p, n);
	return t;
}

static struct stp_utab *make(const void *data, size_t size, unsigned what, size_t *n)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	const char *err = NULL;
	struct stp_utab *t = NULL;
	struct buf b;

	if (write(fd, data, size) == (ssize_t)size && !table_make(fd, what, &b, &err)) {
		t = copy_of(b.p, b.n);
		*n = b.n;
		buf_free(&b);
		if (!stp_utab_check(t, *n))
			abort(); /* the module would not take it */
	}
	close(fd);
	return t;
}

/* Of the program named by STAP_FUZZ_SAMPLE. */
static const struct stp_utab *good_table(size_t *size)
{
	static struct stp_utab *t;
	static size_t n;
	const char *path = getenv("STAP_FUZZ_SAMPLE"), *err;
	int fd = t || !path ? -1 : open(path, O_RDONLY);
	struct buf b;

	if (fd >= 0 && !table_make(fd, 15, &b, &err)) {
		t = copy_of(b.p, b.n);
		n = b.n;
		buf_free(&b);
	}
	if (fd >= 0)
		close(fd);
	*size = n;
	return t;
}

/* Four bytes each: where (modulo the table's size), and two that go there. */
static void change_table(const uint8_t *data, size_t size)
{
	size_t n, i, at;
	const struct stp_utab *good = good_table(&n);
	struct stp_utab *t;

	if (!good)
		return;
	t = copy_of(good, n);
	for (i = 0; i + 4 <= size; i += 4) {
		at = (data[i] | (size_t)data[i + 1] << 8) % (n - 1);
		memcpy((char *)t + at, data + i + 2, 2);
	}
	if (stp_utab_check(t, n))
		ask(t);
	free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool elf = size >= 4 && !memcmp(data, "\177ELF", 4);
	struct stp_utab *t;
	size_t n;

	if (size > 5 && !memcmp(data, "TABLE", 5)) {
		change_table(data + 5, size - 5);
		return 0;
	}
	t = make(data, size, elf ? STP_TABLE_FUNC | STP_TABLE_DATA | STP_TABLE_ROWS | STP_TABLE_LINES : STP_TABLE_FUNC | STP_TABLE_PERF_MAP, &n);
	if (t)
		ask(t);
	free(t);
	return 0;
}
