/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the initramfs, a cpio archive ("newc"), into memory: the guest program and its modules. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm.h"

static const char *const needed[] = {
	"virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay", NULL,
};

static void pad(struct vm_buffer *archive)
{
	buffer_append(archive, "\0\0\0", (4 - archive->size % 4) % 4);
}

static void entry_add(struct vm_buffer *archive, const char *name, unsigned int mode,
		      unsigned int device_minor, const void *data, size_t size)
{
	static unsigned int inode;
	char *head = vm_format("070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
			       ++inode, mode, 0, 0, 1, 0, (unsigned int)size, 0, 0,
			       device_minor ? 5 : 0, device_minor, (unsigned int)strlen(name) + 1, 0);

	buffer_append(archive, head, strlen(head));
	buffer_append(archive, name, strlen(name) + 1);
	pad(archive);
	buffer_append(archive, data, size);
	pad(archive);
	free(head);
}

static void guest_add(struct vm_buffer *archive, const char *path)
{
	struct vm_buffer program = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		vm_fail("%s: %s (built by make)", path, strerror(errno));
	while ((got = buffer_fill(&program, fd, 1 << 16)) > 0)
		;
	close(fd);
	entry_add(archive, "init", S_IFREG | 0755, 0, buffer_bytes(&program), program.size);
	buffer_free(&program);
}

static void modules_add(struct vm_buffer *archive, const struct vm_kernel *kernel)
{
	struct vm_module *module = modules_collect(kernel, needed);
	struct vm_buffer list = { 0 };

	while (module) {
		struct vm_module *next = module->next;
		entry_add(archive, module->name, S_IFREG | 0644, 0, module->data, module->size);
		buffer_append(&list, "/", 1);
		buffer_append(&list, module->name, strlen(module->name));
		buffer_append(&list, "\n", 1);
		free(module->name);
		free(module->data);
		free(module);
		module = next;
	}
	entry_add(archive, "modules.load", S_IFREG | 0644, 0, list.data, list.size);
	buffer_free(&list);
}

int initramfs_create(const struct vm_kernel *kernel, const char *guest)
{
	struct vm_buffer archive = { 0 };
	char *real = kernel->modules ? realpath(kernel->modules, NULL) : NULL;
	char *config = vm_format("modules=%s\n", real ? real : "");
	int fd = memfd_create("initramfs", 0);

	entry_add(&archive, "dev", S_IFDIR | 0755, 0, NULL, 0);
	entry_add(&archive, "dev/console", S_IFCHR | 0600, 1, NULL, 0);
	guest_add(&archive, guest);
	modules_add(&archive, kernel);
	entry_add(&archive, "stap-vm.conf", S_IFREG | 0644, 0, config, strlen(config));
	entry_add(&archive, "TRAILER!!!", 0, 0, NULL, 0);
	if (fd < 0 || buffer_flush(&archive, fd) < 0 || archive.size)
		vm_fail("cannot make the initramfs in memory: %s", strerror(errno));
	buffer_free(&archive);
	free(config);
	free(real);
	return fd;
}
