/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The places a module wants to probe: read from its section .stap_sites (runtime/abi/stp.h has the
 * format), resolved against the running kernel, and sent down probe by probe.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "sites.h"

/* From so many functions on, only those that ftrace can trace are taken, from its own list: that is shorter than
 * /proc/kallsyms, and a kprobe for each of the others would cost too much.  Below, the kernel finds out by itself. */
#define MANY_SITES 64
#define ENDBR_SIZE 4 /* a landing pad, behind which a function calls ftrace */

/* "build MODULE BUILD-ID" */
static int parse_build(struct sites *st, char *save)
{
	struct build *b = &st->build[st->nbuilds++];

	b->module = strtok_r(NULL, " ", &save);
	b->id = strtok_r(NULL, " ", &save);
	return b->id ? 0 : -1;
}

/* "PROBE KIND MODULE SYMBOL+OFFSET FLAGS", terminated; splits the line in place. */
static int parse_line(struct sites *st, char *line)
{
	struct wanted_site *w = &st->site[st->n];
	struct symbol_query *q = &st->query[st->n];
	char *save, *probe = strtok_r(line, " ", &save), *kind, *module, *symbol, *flags, *plus;
	unsigned sum;

	if (probe && !strcmp(probe, "build"))
		return parse_build(st, save);
	kind = strtok_r(NULL, " ", &save);
	module = strtok_r(NULL, " ", &save);
	symbol = strtok_r(NULL, " ", &save);
	flags = strtok_r(NULL, " ", &save);
	if (!flags || !strchr("erad", *kind))
		return -1;
	sum = strtoul(flags, NULL, 10);
	*w = (struct wanted_site){ .probe = strtoul(probe, NULL, 10), .kind = *kind, .optional = sum & 1, .exact = sum & 2,
		.no_ftrace = sum & 8, .of_wildcard = sum & 16, .query = st->n };
	*q = (struct symbol_query){ .module = module, .symbol = symbol, .single = w->exact, .data = *kind == 'd',
		.clones = sum & 4 };
	if (!strncmp(symbol, "0x", 2)) {
		w->absolute = true;
		w->offset = strtoull(symbol, NULL, 16);
		q->symbol = "";
		q->single = true;
	} else if ((plus = strrchr(symbol, '+'))) {
		*plus = '\0';
		w->offset = strtoull(plus + 1, NULL, 0);
	}
	st->n++;
	return 0;
}

static int parse_sites(struct sites *st, const struct image *im)
{
	size_t size = 0, lines = 1;
	const unsigned char *sec = image_section(im, ".stap_sites", &size);
	char *save, *line;

	memset(st, 0, sizeof(*st));
	if (!sec || !size)
		return 0;
	st->text = malloc(size + 1);
	if (!st->text)
		return complain("out of memory");
	for (size_t i = 0; i < size; i++) {
		st->text[i] = sec[i] ? sec[i] : '\n';
		lines += st->text[i] == '\n';
	}
	st->text[size] = '\0';
	st->site = calloc(lines, sizeof(*st->site));
	st->query = calloc(lines + 2, sizeof(*st->query));
	st->build = calloc(lines, sizeof(*st->build));
	st->told = calloc(lines, sizeof(*st->told));
	if (!st->site || !st->query || !st->build || !st->told)
		return complain("out of memory");
	for (line = strtok_r(st->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (parse_line(st, line))
			return complain("the module's list of functions is damaged");
	return 0;
}

static void sites_free(struct sites *st)
{
	if (st->query)
		kallsyms_free(st->query, st->n);
	free(st->query);
	free(st->build);
	free(st->told);
	free(st->site);
	free(st->text);
}

const struct build *sites_build(const struct sites *st, const char *module)
{
	for (size_t i = 0; i < st->nbuilds; i++)
		if (!strcmp(st->build[i].module, module))
			return &st->build[i];
	return NULL;
}

/* Debuginfo of another build tells wrong places: what rests on it is left out. */
static void check_builds(struct sites *st)
{
	char id[2 * STP_BUILD_ID_MAX + 1];

	for (size_t i = 0; i < st->nbuilds; i++) {
		struct build *b = &st->build[i];
		bool kernel = !strcmp(b->module, "vmlinux");

		if (!running_build_id(b->module, id, sizeof(id)) || !strcmp(id, b->id))
			continue;
		b->other = true;
		warn("the debuginfo of %s%s is of another build: its build id is %s, that of the running %s is %s; "
		     "the probes that rest on it are left out", kernel ? "the kernel" : "module ", kernel ? "" : b->module, b->id,
		     kernel ? "kernel" : "module", id);
	}
}

/* Appends the addresses of one wanted site; returns how many. */
static unsigned take_addresses(const struct sites *st, size_t i, struct stp_site *out)
{
	const struct wanted_site *w = &st->site[i];
	const struct symbol_query *q = &st->query[w->query];
	bool ftrace = (w->kind == 'e' || w->kind == 'r') && !w->no_ftrace;
	unsigned n = 0;

	if (w->absolute) {
		out[0] = (struct stp_site){ .addr = w->offset, .id = i };
		return 1;
	}
	for (unsigned k = 0; k < q->naddr; k++) {
		if (q->addr[k] >= st->init_start && q->addr[k] < st->init_end)
			continue;
		out[n++] = (struct stp_site){ .addr = q->addr[k] + w->offset, .flags = ftrace ? STP_SITE_FTRACE : 0, .id = i };
	}
	return n;
}

static int compare_sites(const void *a, const void *b)
{
	const struct stp_site *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Several names of one place are one place; returns how many stay. */
static unsigned drop_doubles(struct stp_site *list, unsigned n)
{
	unsigned kept = 0;

	qsort(list, n, sizeof(*list), compare_sites);
	for (unsigned i = 0; i < n; i++)
		if (!kept || list[kept - 1].addr != list[i].addr)
			list[kept++] = list[i];
	return kept;
}

/* So many missing functions are named, and the others counted. */
#define SAY_MISSING 8

/* A wildcard's functions that can not be traced, or are gone since the kernel is up, are no news: only -v counts them. */
static void report_missing(const struct sites *st, size_t i, unsigned *missing)
{
	const struct symbol_query *q = &st->query[st->site[i].query];
	bool pattern = st->site[i].of_wildcard;

	if (st->site[i].optional || st->site[i].exact || (pattern && (st->traceable_only || q->naddr) && !opt.verbose))
		return;
	if ((*missing)++ >= SAY_MISSING)
		return;
	if (q->data)
		warn("variable %s is not in the running kernel's symbols, or is one for each CPU: not watched", q->symbol);
	else if (st->traceable_only && pattern)
		warn("function %s can not be traced, or is not in the running kernel: not probed", q->symbol);
	else
		warn(q->naddr ? "function %s is gone since the kernel is up: not probed"
			      : "function %s is not in the running kernel: not probed", q->symbol);
}

/* Functions of wildcards that are probes of their own. */
struct singles {
	unsigned wanted, found;
	size_t first;
};

/* A wildcard of which nothing is left, without a word yet. */
static void report_none(const struct sites *st, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (site_in_kernel(st, i) && !st->site[i].optional && !st->site[i].exact)
			n++;
		else
			return;
	warn("none of the %zu functions of a probe (%s ...) can be traced in the running kernel: it will never be hit", n,
	     st->query[st->site[from].query].symbol);
}

/* All sites of one probe in the kernel, from index `from`; returns the index behind them, 0 on errors. */
static size_t send_probe(int control, const struct sites *st, size_t from, unsigned *missing, struct singles *singles)
{
	size_t to = from, room = 0;
	struct stp_sites msg = { .probe = st->site[from].probe };
	const struct build *kernel = sites_build(st, "vmlinux");
	struct stp_site *list;
	unsigned said = *missing;

	for (; to < st->n && st->site[to].probe == msg.probe; to++)
		room += st->site[to].absolute ? 1 : st->query[st->site[to].query].naddr;
	list = calloc(room + 1, sizeof(*list));
	if (!list)
		return complain("out of memory"), 0;
	for (size_t i = from; i < to; i++) {
		unsigned n;

		if (!site_in_kernel(st, i) || (st->site[i].exact && kernel && kernel->other))
			continue;
		n = take_addresses(st, i, list + msg.nsites);
		if (!n)
			report_missing(st, i, missing);
		msg.nsites += n;
	}
	if (to - from == 1 && st->site[from].of_wildcard && site_in_kernel(st, from)) {
		if (!singles->wanted++)
			singles->first = from;
		singles->found += msg.nsites > 0;
	} else if (!msg.nsites && *missing == said) {
		report_none(st, from, to);
	}
	msg.nsites = drop_doubles(list, msg.nsites);
	msg.sites = (uintptr_t)list;
	if (msg.nsites && ioctl(control, STP_IOC_SITES, &msg)) {
		complain("cannot pass the probed addresses to the module: %s", strerror(errno));
		to = 0;
	}
	free(list);
	return to;
}

static bool all_entries(const struct sites *st)
{
	for (size_t i = 0; i < st->n; i++)
		if (st->site[i].kind == 'a' || st->site[i].kind == 'd' || st->site[i].exact)
			return false;
	return true;
}

/* Two more names are looked up with the script's own, where one of those can be of code that is gone. */
static int resolve_in_kallsyms(struct sites *st)
{
	struct symbol_query *init = &st->query[st->n];
	bool all_single = true;
	int rc;

	for (size_t i = 0; i < st->n; i++)
		all_single &= st->query[i].single;
	if (all_single)
		return kallsyms_resolve(st->query, st->n);
	init[0] = (struct symbol_query){ .module = "vmlinux", .symbol = "_sinittext" };
	init[1] = (struct symbol_query){ .module = "vmlinux", .symbol = "_einittext" };
	rc = kallsyms_resolve(st->query, st->n + 2);
	if (init[0].naddr == 1 && init[1].naddr == 1) {
		st->init_start = init[0].addr[0];
		st->init_end = init[1].addr[0];
	}
	kallsyms_free(init, 2);
	return rc;
}

/* The probe's only site: a function that the script names. */
static bool is_named(const struct sites *st, size_t i)
{
	return !st->site[i].of_wildcard && (i == 0 || st->site[i - 1].probe != st->site[i].probe) && (i + 1 == st->n || st->site[i + 1].probe != st->site[i].probe);
}

/*
 * ftrace's list has one name for an address.  Another one of the same function is found by its address: entry points of
 * system calls without arguments are __do_sys_NAME there.  Of what the script names itself, the kernel shall have the last word.
 */
static void take_alias(const struct address_list *all, struct symbol_query *q, bool named)
{
	unsigned kept = 0;

	for (unsigned k = 0; k < q->naddr; k++) {
		uint64_t addr = q->addr[k], behind = addr + ENDBR_SIZE;

		if (address_list_has(all, addr) || named)
			q->addr[kept++] = addr;
		else if (address_list_has(all, behind))
			q->addr[kept++] = behind;
	}
	q->naddr = kept;
}

/* __x64_sys_NAME, __ia32_sys_NAME, __do_sys_NAME: looking up every function that ftrace can not trace would take as long again. */
static bool is_syscall_entry(const char *name)
{
	return !strncmp(name, "__", 2) && strstr(name, "_sys_");
}

static int resolve_aliases(struct sites *st, const struct address_list *all)
{
	struct symbol_query *look = calloc(st->n, sizeof(*look));
	size_t n = 0;
	int rc;

	if (!look)
		return complain("out of memory");
	for (size_t i = 0; i < st->n; i++) {
		const struct symbol_query *q = &st->query[i];

		if (!q->naddr && site_in_kernel(st, i) && (is_named(st, i) || is_syscall_entry(q->symbol))) {
			look[n] = *q;
			look[n++].single = true;
		}
	}
	rc = n ? kallsyms_resolve(look, n) : 0;
	for (size_t i = 0, k = 0; i < st->n && k < n; i++)
		if (st->query[i].symbol == look[k].symbol) {
			take_alias(all, &look[k], is_named(st, i));
			st->query[i].addr = look[k].addr;
			st->query[i].naddr = look[k++].naddr;
		}
	free(look);
	return rc;
}

static int resolve(struct sites *st)
{
	struct address_list all = { 0 };
	int rc;

	if (st->n == 0)
		return 0;
	st->traceable_only = st->n > MANY_SITES && all_entries(st) && !traceable_resolve(st->query, st->n, &all);
	rc = st->traceable_only ? resolve_aliases(st, &all) : resolve_in_kallsyms(st);
	free(all.addr);
	return rc;
}

int sites_send(int control, const struct image *im)
{
	struct sites st;
	struct singles singles = { 0 };
	unsigned missing = 0;
	size_t i = 0;
	int rc = parse_sites(&st, im);

	if (!rc)
		rc = site_modules_tell(control, &st);
	if (!rc)
		rc = resolve(&st);
	if (!rc)
		check_builds(&st);
	while (!rc && i < st.n) {
		i = send_probe(control, &st, i, &missing, &singles);
		if (!i)
			rc = -1;
	}
	if (!rc && singles.wanted && !singles.found && !missing)
		report_none(&st, singles.first, singles.first + singles.wanted);
	if (!rc)
		rc = site_modules_send(control, &st);
	if (missing > SAY_MISSING)
		warn("%u more functions can not be probed", missing - SAY_MISSING);
	sites_free(&st);
	return rc;
}
