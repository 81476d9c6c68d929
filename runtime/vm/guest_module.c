/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the modules of the initramfs, which the host has put in order and decompressed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

static void module_load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		guest_fail("%s: %s", path, strerror(errno));
	/* A module may be there already, as a dependency that is built in here. */
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		guest_fail("%s: cannot load: %s", path, strerror(errno));
	close(fd);
	unlink(path);
}

void modules_load(void)
{
	char line[512];
	FILE *list = fopen(GUEST_MODULES, "re");

	if (!list)
		guest_fail("%s: %s", GUEST_MODULES, strerror(errno));
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0])
			module_load(line);
	}
	fclose(list);
}
