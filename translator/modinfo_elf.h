/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module-info object of a module (what the kernel's build makes of a
 * generated NAME.mod.c), written by libelf after the model of a template object
 * of that kernel; and small queries on relocatable objects. */
#ifndef STAP_MODINFO_ELF_H
#define STAP_MODINFO_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <glib.h>

struct modinfo_import {
	const char *name;
	uint32_t crc;
};

struct modinfo_spec {
	const char *template_path;	/* module-info object from the kernel kit */
	const char *name;		/* the module's name */
	GPtrArray *strings;		/* "key=value" to put into .modinfo, char * */
	const struct modinfo_import *imports;	/* for the version sections */
	size_t import_count;
};

/* Writes the object to `output`. The template's own .modinfo strings (vermagic,
 * retpoline, ...) are taken over but for "name", "depends" and "import_ns"; its
 * struct module is copied with the new name; version sections are written in
 * the forms that the template has. 0, or -1 with *err. */
int modinfo_write(const struct modinfo_spec *spec, const char *output, char **err);

/* Value of the first "key=" string in an object's .modinfo, or NULL. Owned. */
char *modinfo_read_value(const char *path, const char *key);

/* Size of .gnu.linkonce.this_module in an object, 0 if it has none. */
size_t modinfo_this_module_size(const char *path);

/* Names an object leaves undefined, mapped to GINT_TO_POINTER(1 for a strong
 * reference, 2 for a weak one). NULL with *err. */
GHashTable *modinfo_read_undefined(const char *path, char **err);

/* Adds what an object defines for others to the set `defined`, and what it leaves undefined to `undefined`, as above; either
 * may be NULL. The tables own their keys (g_free). 0, or -1 with *err. */
int modinfo_read_symbols(const char *path, GHashTable *defined, GHashTable *undefined, char **err);

/* True when the file is a whole ELF object: its section table, which linkers
 * write last, lies inside it. */
bool modinfo_is_whole(const char *path);

#endif
