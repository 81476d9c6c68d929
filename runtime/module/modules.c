/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Probes in modules: attached when the module arrives, before any of its code runs, and gone before its memory
 * is.  The loader tells each module's sites by name and, where it is loaded already, by address; in an
 * arriving module names are looked up here, in its own symbol table.
 *
 * The notifier is called with the kernel's notifier list locked for reading and takes stp_session_lock, so it is
 * registered and unregistered without that.
 */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "hook.h"
#include "module_find.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

#define MODULES_MAX 8192
#define MODSITES_MAX (1u << 20)
#define TEXT_MAX (64u << 20)

struct watched {
	struct stp_module told;
	struct stp_modsite *sites;
	char *text;
	u32 *by_name;                   /* sites' numbers, in order of their symbols */
	bool moved;                     /* came or went since the loader told of it */
	bool other_build;
	/* of the module as it is loaded now */
	struct stp_modaddr *addrs;
	u32 naddrs, room;
	struct stp_site *list;
	struct stp_siteset set;
	bool attached;
};
static struct watched *modules[MODULES_MAX];
static u32 nmodules;

static struct watched *find(const char *name)
{
	u32 i, n = smp_load_acquire(&nmodules);

	for (i = 0; i < n; i++)
		if (!strcmp(modules[i]->told.name, name))
			return modules[i];
	return NULL;
}

static const char *symbol_of(const struct watched *w, u32 site)
{
	return w->text + w->sites[site].symbol;
}

static void watched_free(struct watched *w)
{
	kvfree(w->sites);
	kvfree(w->text);
	kvfree(w->by_name);
	kvfree(w->addrs);
	kfree(w);
}

/* ---- what the loader tells ---- */
static int compare_names(const void *a, const void *b, const void *arg)
{
	const struct watched *w = arg;

	return strcmp(symbol_of(w, *(const u32 *)a), symbol_of(w, *(const u32 *)b));
}

static bool is_sound(const struct watched *w)
{
	u32 i, last = 0;

	if (!w->told.text_len || w->text[w->told.text_len - 1] || w->told.build_id_len > STP_BUILD_ID_MAX ||
	    !memchr(w->told.name, 0, sizeof(w->told.name)))
		return false;
	for (i = 0; i < w->told.nsites; i++) {
		if (w->sites[i].symbol >= w->told.text_len || w->sites[i].probe >= stp_script.nprobes || w->sites[i].probe < last)
			return false;
		last = w->sites[i].probe;
	}
	return true;
}

static void *take(u64 from, size_t size)
{
	void *p = vmemdup_user((void __user *)(uintptr_t)from, size);

	return IS_ERR(p) ? NULL : p;
}

long stp_modules_set(const struct stp_module __user *arg)
{
	struct watched *w;
	u32 i;

	if (stp_session.state != STP_LOADED || nmodules == MODULES_MAX)
		return -EALREADY;
	w = kzalloc(sizeof(*w), GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	if (copy_from_user(&w->told, arg, sizeof(w->told)) || w->told.nsites > MODSITES_MAX || w->told.text_len > TEXT_MAX)
		goto bad;
	w->sites = take(w->told.sites, w->told.nsites * sizeof(*w->sites));
	w->text = take(w->told.text, w->told.text_len);
	w->by_name = kvmalloc_array(w->told.nsites + 1, sizeof(u32), GFP_KERNEL);
	if (!w->sites || !w->text || !w->by_name || !is_sound(w) || find(w->told.name))
		goto bad;
	for (i = 0; i < w->told.nsites; i++)
		w->by_name[i] = i;
	sort_r(w->by_name, w->told.nsites, sizeof(u32), compare_names, NULL, w);
	modules[nmodules] = w;
	smp_store_release(&nmodules, nmodules + 1);
	return 0;
bad:
	watched_free(w);
	return -EINVAL;
}

long stp_modules_addrs(const struct stp_addrs __user *arg)
{
	struct stp_modaddr *addrs;
	struct watched *w;
	struct stp_addrs a;
	u32 i;

	if (copy_from_user(&a, arg, sizeof(a)) || !memchr(a.name, 0, sizeof(a.name)) || a.naddrs > MODSITES_MAX)
		return -EINVAL;
	w = find(a.name);
	if (!w || stp_session.state != STP_LOADED)
		return -EINVAL;
	if (w->moved)
		return 0;
	addrs = take(a.addrs, a.naddrs * sizeof(*addrs));
	if (!addrs)
		return -ENOMEM;
	for (i = 0; i < a.naddrs; i++)
		if (addrs[i].site >= w->told.nsites) {
			kvfree(addrs);
			return -EINVAL;
		}
	kvfree(w->addrs);
	w->addrs = addrs;
	w->naddrs = w->room = a.naddrs;
	return 0;
}

/* ---- an arriving module ---- */
static void add_address(struct watched *w, u32 site, u64 addr)
{
	if (w->naddrs == w->room) {
		u32 room = w->room ? 2 * w->room : max_t(u32, w->told.nsites, 16);
		struct stp_modaddr *more = kvmalloc_array(room, sizeof(*more), GFP_KERNEL);

		if (!more) {
			stp_warn("no memory for the probes of module %s", w->told.name);
			return;
		}
		memcpy(more, w->addrs, w->naddrs * sizeof(*more));
		kvfree(w->addrs);
		w->addrs = more;
		w->room = room;
	}
	w->addrs[w->naddrs++] = (struct stp_modaddr){ .addr = addr, .site = site };
}

static int compare_name(const char *symbol, const char *name, u32 len)
{
	int c = strncmp(symbol, name, len);

	return c ?: symbol[len] ? 1 : 0;
}

/* Every site of that symbol, of which `len` bytes count. */
static void take_named(struct watched *w, const char *name, u32 len, u64 value)
{
	u32 low = 0, high = w->told.nsites;

	while (low < high) { /* the first that is not less */
		u32 mid = low + (high - low) / 2;

		if (compare_name(symbol_of(w, w->by_name[mid]), name, len) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < w->told.nsites && !compare_name(symbol_of(w, w->by_name[low]), name, len); low++) {
		u32 site = w->by_name[low], flags = w->sites[site].flags;

		if (name[len] && !(flags & STP_SITE_CLONES))
			continue;
		if (!(flags & STP_SITE_BUILD) || !w->other_build)
			add_address(w, site, value + w->sites[site].offset);
	}
}

static void take_symbol(struct watched *w, const char *name, u64 value)
{
	u32 len = strlen(name), base = strchr(name, '.') ? stp_clone_base(name, len) : 0;

	take_named(w, name, len, value);
	if (base)
		take_named(w, name, base, value);
}

static void find_sites(struct watched *w, const struct module *mod)
{
	const struct mod_kallsyms *k = stp_module_symbols(mod);
	u32 i;

	w->naddrs = 0;
	w->other_build = !stp_module_is_build(mod, w->told.build_id, w->told.build_id_len);
	if (w->other_build)
		stp_warn("module %s is of another build (%*phN is what its debuginfo is of): probes that rest on it are left out",
			 w->told.name, (int)w->told.build_id_len, w->told.build_id);
	for (i = 1; k && i < k->num_symtab; i++) {
		const Elf_Sym *sym = &k->symtab[i];
		unsigned int type = ELF_ST_TYPE(sym->st_info);

		if (sym->st_shndx != SHN_UNDEF && sym->st_value && (type == STT_FUNC || type == STT_NOTYPE))
			take_symbol(w, k->strtab + sym->st_name, sym->st_value);
	}
}

/* ---- attaching ---- */
static int compare_addrs(const void *a, const void *b, const void *arg)
{
	const struct watched *w = arg;
	const struct stp_modaddr *x = a, *y = b;
	u32 p = w->sites[x->site].probe, q = w->sites[y->site].probe;

	if (p != q)
		return p < q ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Several names of one place are one site of a probe. */
static int make_set(struct watched *w, const struct module *arriving)
{
	struct stp_siteset *set = &w->set;
	u32 i, n = 0;

	memset(set, 0, sizeof(*set));
	w->list = kvcalloc(w->naddrs, sizeof(*w->list), GFP_KERNEL);
	set->of = kvcalloc(w->naddrs, sizeof(*set->of), GFP_KERNEL);
	if (!w->list || !set->of)
		return -ENOMEM;
	sort_r(w->addrs, w->naddrs, sizeof(*w->addrs), compare_addrs, NULL, w);
	for (i = 0; i < w->naddrs; i++) {
		const struct stp_modaddr *a = &w->addrs[i];
		const struct stp_modsite *s = &w->sites[a->site];
		struct stp_probe_state *ps = &stp_probes[s->probe];
		struct stp_probe_sites *x = set->nprobes ? &set->of[set->nprobes - 1] : NULL;
		u32 flags = s->flags;

		if (!x || x->ps != ps) {
			x = &set->of[set->nprobes++];
			*x = (struct stp_probe_sites){ ps, &w->list[n], 0 };
		} else if (x->sites[x->n - 1].addr == a->addr) {
			continue;
		}
		/* ftrace's filter would keep the address of code that is gone once the module is up; a kprobe knows */
		if (arriving && within_module_init(a->addr, arriving))
			flags &= ~STP_SITE_FTRACE;
		w->list[n++] = (struct stp_site){ .addr = a->addr, .flags = flags, .id = s->id };
		x->n++;
	}
	return 0;
}

static void attach(struct watched *w, const struct module *arriving)
{
	const struct stp_hook *const *h;
	int rc;

	if (!w->naddrs || w->attached)
		return;
	w->attached = true;
	rc = make_set(w, arriving);
	for (h = stp_hooks; *h && !rc; h++)
		if ((*h)->attach_set)
			rc = (*h)->attach_set(&w->set);
	if (rc && rc != -EINTR)
		stp_warn("not all probes of module %s could be attached (error %d)", w->told.name, rc);
}

static void detach(struct watched *w)
{
	const struct stp_hook *const *h = stp_hooks;

	if (!w->attached)
		return;
	while (*h)
		h++;
	while (h > stp_hooks)
		if ((*--h)->detach_set)
			(*h)->detach_set(&w->set);
	kvfree(w->list);
	kvfree(w->set.of);
	w->attached = false;
}

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct module *mod = data;
	struct watched *w;

	if (event != MODULE_STATE_COMING && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	/* without the lock: begin and end handlers may wait for a reader with it, and other modules shall come and go meanwhile */
	w = find(mod->name);
	if (!w)
		return NOTIFY_DONE;
	mutex_lock(&stp_session_lock);
	w->moved = true;
	detach(w);
	w->naddrs = 0;
	if (event == MODULE_STATE_COMING) {
		find_sites(w, mod);
		if (stp_session.state == STP_RUNNING && !READ_ONCE(stp_session.ending))
			attach(w, mod);
	}
	mutex_unlock(&stp_session_lock);
	return NOTIFY_OK;
}

/*
 * After the kernel's own of kprobes: one that is unregistered while it waits to lose its jump, and whose module is
 * gone by then, stays in the kernel's table for ever.  ftrace forgets the module only later.
 */
static struct notifier_block notifier = { .notifier_call = module_event, .priority = -1 };

int stp_modules_init(void)
{
	return register_module_notifier(&notifier);
}

void stp_modules_exit(void)
{
	unregister_module_notifier(&notifier);
	while (nmodules)
		watched_free(modules[--nmodules]);
}

/* ---- the hook ---- */
static int modules_attach(void)
{
	u32 i;

	for (i = 0; i < nmodules; i++) {
		if (signal_pending(current))
			return -EINTR;
		attach(modules[i], NULL);
	}
	return 0;
}

static void modules_detach(void)
{
	u32 i;

	for (i = 0; i < nmodules; i++)
		detach(modules[i]);
}

static void modules_live(void)
{
	const struct stp_hook *const *h;
	u32 i;

	for (i = 0; i < nmodules; i++)
		for (h = stp_hooks; modules[i]->attached && *h; h++)
			if ((*h)->live_set)
				(*h)->live_set(&modules[i]->set);
}

const struct stp_hook stp_hook_modules = { modules_attach, modules_detach, modules_live };
