/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Picks the modules that the guest needs before it has a root file system. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm.h"

/* modules.dep, read once: lines "path: dependency dependency ...". */
struct dep_file {
	char *text;
	const struct vm_kernel *kernel;
	struct vm_module *first, **last;
};

static char *file_read(const char *path, size_t *size)
{
	struct vm_buffer buffer = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return NULL;
	while ((got = buffer_fill(&buffer, fd, 1 << 16)) > 0)
		;
	close(fd);
	if (got < 0) {
		buffer_free(&buffer);
		return NULL;
	}
	*size = buffer.size;
	buffer_append(&buffer, "", 1);
	return (char *)buffer.data;
}

/* Does path end in /NAME.ko or /NAME.ko.SUFFIX, with - and _ alike? */
static bool path_is_module(const char *path, size_t length, const char *name)
{
	const char *base = path, *end = path + length;

	for (const char *at = path; at < end; at++)
		if (*at == '/')
			base = at + 1;
	for (; *name; name++, base++) {
		char have = base < end ? *base : '\0';
		if ((have == '-' ? '_' : have) != (*name == '-' ? '_' : *name))
			return false;
	}
	return end - base >= 3 && !strncmp(base, ".ko", 3);
}

/* The line of modules.dep that starts with this module, or NULL. */
static const char *dep_find(const struct dep_file *deps, const char *name)
{
	for (const char *line = deps->text; line && *line; ) {
		size_t length = strcspn(line, ":\n");
		if (path_is_module(line, length, name))
			return line;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return NULL;
}

/* The bytes of a module, decompressed by the tool its suffix names. */
static char *module_read(const char *path, size_t *size)
{
	static const char *const tools[][3] = {
		{ ".xz", "xz", "-dc" }, { ".zst", "zstd", "-qdc" }, { ".gz", "gzip", "-dc" },
	};
	size_t length = strlen(path);

	for (unsigned int i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		size_t suffix = strlen(tools[i][0]);
		if (length <= suffix || strcmp(path + length - suffix, tools[i][0]))
			continue;
		char *argv[] = { (char *)tools[i][1], (char *)tools[i][2], (char *)path, NULL };
		return vm_spawn_read(argv, size);
	}
	return file_read(path, size);
}

static void module_add(struct dep_file *deps, const char *relative, size_t length)
{
	char *path = vm_format("%s/%.*s", deps->kernel->modules, (int)length, relative);
	const char *base = strrchr(path, '/') + 1;
	char *name = vm_format("%.*s.ko", (int)(strstr(base, ".ko") - base), base);

	for (struct vm_module *m = deps->first; m; m = m->next) {
		if (strcmp(m->name, name))
			continue;
		free(path);
		free(name);
		return;
	}
	struct vm_module *module = calloc(1, sizeof(*module));
	if (!module)
		vm_fail("out of memory");
	module->name = name;
	module->data = module_read(path, &module->size);
	if (!module->data)
		vm_fail("cannot read %s", path);
	*deps->last = module;
	deps->last = &module->next;
	free(path);
}

/* Dependencies first; modules.dep names them from the nearest to the deepest. */
static void line_add(struct dep_file *deps, const char *line)
{
	size_t length = strcspn(line, "\n"), own = strcspn(line, ":\n");
	size_t end = length;

	while (end > own + 1) {
		size_t start = end;
		while (start > own + 1 && line[start - 1] != ' ')
			start--;
		if (end > start)
			module_add(deps, line + start, end - start);
		end = start;
		while (end > own + 1 && line[end - 1] == ' ')
			end--;
	}
	module_add(deps, line, own);
}

struct vm_module *modules_collect(const struct vm_kernel *kernel, const char *const names[])
{
	struct dep_file deps = { .kernel = kernel };
	size_t size;

	deps.last = &deps.first;
	if (!kernel->modules)
		return NULL;
	char *path = vm_format("%s/modules.dep", kernel->modules);
	deps.text = file_read(path, &size);
	free(path);
	if (!deps.text)
		return NULL;
	for (; *names; names++) {
		const char *line = dep_find(&deps, *names);
		if (line)
			line_add(&deps, line);
	}
	free(deps.text);
	return deps.first;
}
