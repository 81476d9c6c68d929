/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites in modules: told to the runtime by name before addresses are looked up, and by address after that, for those that
 * are loaded now (stp_msg.h says why both).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "sites.h"

static const char *module_of(const struct sites *st, size_t i)
{
	return st->query[st->site[i].query].module;
}

/* Marks the sites of the module that site `first` is in; calls fn for each. */
static void each_site(struct sites *st, size_t first, void (*fn)(struct sites *st, size_t i, void *data), void *data)
{
	const char *module = module_of(st, first);

	for (size_t i = first; i < st->n; i++) {
		if (st->told[i] || site_in_kernel(st, i) || strcmp(module_of(st, i), module))
			continue;
		st->told[i] = true;
		fn(st, i, data);
	}
}

static int each_module(int control, struct sites *st, int (*fn)(int control, struct sites *st, size_t first))
{
	int rc = 0;

	for (size_t i = 0; i < st->n; i++)
		st->told[i] = site_in_kernel(st, i);
	for (size_t i = 0; i < st->n && !rc; i++)
		if (!st->told[i])
			rc = fn(control, st, i);
	return rc;
}

static void put_name(char *buf, size_t size, const char *module)
{
	snprintf(buf, size, "%s", module);
	for (; *buf; buf++)
		if (*buf == '-')
			*buf = '_';
}

/* ---- names ---- */
struct telling {
	struct stp_module msg;
	struct stp_modsite *sites;
	char *text;
};

static void tell_site(struct sites *st, size_t i, void *data)
{
	struct telling *t = data;
	const struct wanted_site *w = &st->site[i];
	const char *symbol = st->query[w->query].symbol;

	t->sites[t->msg.nsites++] = (struct stp_modsite){
		.offset = w->offset, .symbol = t->msg.text_len, .probe = w->probe, .id = i,
		.flags = (w->kind == 'e' || w->kind == 'r' ? STP_SITE_FTRACE : 0) | (w->exact ? STP_SITE_BUILD : 0) |
			(st->query[w->query].clones ? STP_SITE_CLONES : 0),
	};
	strcpy(t->text + t->msg.text_len, symbol);
	t->msg.text_len += strlen(symbol) + 1;
}

static void put_build_id(struct stp_module *m, const char *hex)
{
	unsigned byte;

	for (; m->build_id_len < STP_BUILD_ID_MAX && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		m->build_id[m->build_id_len++] = byte;
}

static int tell_module(int control, struct sites *st, size_t first)
{
	const struct build *build = sites_build(st, module_of(st, first));
	struct telling t = { .sites = calloc(st->n, sizeof(*t.sites)) };
	size_t size = 1;
	int rc = 0;

	for (size_t i = first; i < st->n; i++)
		size += strlen(st->query[st->site[i].query].symbol) + 1;
	t.text = malloc(size);
	if (!t.sites || !t.text) {
		rc = complain("out of memory");
	} else {
		put_name(t.msg.name, sizeof(t.msg.name), module_of(st, first));
		each_site(st, first, tell_site, &t);
		if (build)
			put_build_id(&t.msg, build->id);
		t.msg.sites = (uintptr_t)t.sites;
		t.msg.text = (uintptr_t)t.text;
		if (ioctl(control, STP_IOC_MODULE, &t.msg))
			rc = complain("cannot pass the probes of module %s: %s", t.msg.name, strerror(errno));
	}
	free(t.sites);
	free(t.text);
	return rc;
}

int site_modules_tell(int control, struct sites *st)
{
	return each_module(control, st, tell_module);
}

/* ---- addresses ---- */
struct sending {
	struct stp_addrs msg;
	struct stp_modaddr *addrs;
	size_t room;
	unsigned site, wanted;
	const char *missing;
	bool other_build, failed;
};

static void send_site(struct sites *st, size_t i, void *data)
{
	struct sending *s = data;
	const struct wanted_site *w = &st->site[i];
	const struct symbol_query *q = &st->query[w->query];
	unsigned number = s->site++;

	if (w->exact && s->other_build)
		return;
	if (!q->naddr && !w->optional && !s->missing && (!st->traceable_only || opt.verbose))
		s->missing = q->symbol;
	s->wanted += !w->optional;
	for (unsigned k = 0; k < q->naddr && !s->failed; k++) {
		if (s->msg.naddrs == s->room) {
			struct stp_modaddr *more = realloc(s->addrs, (s->room * 2 + 64) * sizeof(*more));

			if (!more) {
				s->failed = true;
				return;
			}
			s->addrs = more;
			s->room = s->room * 2 + 64;
		}
		s->addrs[s->msg.naddrs++] = (struct stp_modaddr){ .addr = q->addr[k] + w->offset, .site = number };
	}
}

/* What can not be probed now, in one line a module. */
static void report(const struct sending *s, bool loaded)
{
	if (!loaded && s->wanted)
		warn("module %s is not loaded: its probes begin when it is", s->msg.name);
	else if (loaded && s->missing)
		warn("function %s is not in module %s: not probed", s->missing, s->msg.name);
}

static int send_module(int control, struct sites *st, size_t first)
{
	const struct build *build = sites_build(st, module_of(st, first));
	struct sending s = { .other_build = build && build->other };
	bool loaded = module_is_loaded(module_of(st, first));
	int rc = 0;

	put_name(s.msg.name, sizeof(s.msg.name), module_of(st, first));
	each_site(st, first, send_site, &s);
	report(&s, loaded);
	s.msg.addrs = (uintptr_t)s.addrs;
	if (s.failed)
		rc = complain("out of memory");
	else if (loaded && s.msg.naddrs && ioctl(control, STP_IOC_ADDRS, &s.msg))
		rc = complain("cannot pass the addresses of module %s: %s", s.msg.name, strerror(errno));
	free(s.addrs);
	return rc;
}

int site_modules_send(int control, struct sites *st)
{
	return each_module(control, st, send_module);
}
