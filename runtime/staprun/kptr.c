/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sysctl kernel.kptr_restrict (the kernel's Documentation/admin-guide/sysctl/kernel.rst).  2, as on hardened hosts, hides the kernel's
 * addresses from root as well.  The kernel looks at it when /proc/kallsyms is opened and when a section's address is read from sysfs:
 * for that moment it is 1 here, which shows them to who has CAP_SYSLOG and to nobody else.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "staprun.h"

int kptr_lower(void)
{
	int fd = open("/proc/sys/kernel/kptr_restrict", O_RDWR | O_CLOEXEC);
	char value = 0;

	if (fd < 0)
		return -1;
	if (pread(fd, &value, 1, 0) == 1 && value == '2' && pwrite(fd, "1", 1, 0) == 1)
		return fd;
	close(fd);
	return -1;
}

void kptr_restore(int lowered)
{
	int err = errno;

	if (lowered < 0)
		return;
	if (pwrite(lowered, "2", 1, 0) != 1)
		warn("kernel.kptr_restrict was 2 and is 1 now");
	close(lowered);
	errno = err;
}
