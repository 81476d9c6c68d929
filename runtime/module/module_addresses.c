/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * Addresses of the data of modules that come and go: found in the symbol table of an arriving module, before any of its code
 * runs, and forgotten when it goes.  Those of modules that are loaded at the start come from the loader (addresses.c).
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "hook.h"
#include "module_find.h"
#include "compat/hex.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

static bool is_build(const struct module *mod, const char *hex)
{
	u8 id[STP_BUILD_ID_MAX];
	u32 len = min_t(u32, strlen(hex) / 2, sizeof(id));

	return !hex2bin(id, hex, len) && stp_module_is_build(mod, id, len);
}

static bool is_named(const char *name)
{
	const struct stp_module_address *m = stp_module_addresses;

	while (m->module && strcmp(m->module, name))
		m++;
	return m->module;
}

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct stp_module_address *m;
	const struct module *mod = data;
	bool told = false;

	/* without the lock: begin and end handlers may wait for a reader with it, and other modules shall come and go meanwhile */
	if ((event != MODULE_STATE_COMING && event != MODULE_STATE_GOING) || !is_named(mod->name))
		return NOTIFY_DONE;
	mutex_lock(&stp_session_lock);
	for (m = stp_module_addresses; m->module; m++) {
		struct stp_address *a = &stp_address_list[m->slot];
		u64 addr = 0;

		if (strcmp(m->module, mod->name))
			continue;
		a->moved = 1;
		if (event == MODULE_STATE_COMING && is_build(mod, m->build_id)) {
			addr = stp_module_symbol(mod, m->symbol);
			addr = addr ? addr + m->offset : 0;
		} else if (event == MODULE_STATE_COMING && !told) {
			stp_warn("module %s is of another build (%s is what its debuginfo is of): its variables are not known",
				 m->module, m->build_id);
			told = true;
		}
		WRITE_ONCE(a->addr, addr);
	}
	mutex_unlock(&stp_session_lock);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = module_event };

int stp_addresses_init(void)
{
	return register_module_notifier(&notifier);
}

void stp_addresses_exit(void)
{
	unregister_module_notifier(&notifier);
}

static int nothing(void)
{
	return 0;
}

static void nothing_more(void)
{
}

const struct stp_hook stp_hook_addresses = { .attach = nothing, .detach = nothing_more };
