/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The init of the guest: from the initramfs to a system that takes commands. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

void guest_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "stap-vm: guest: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	sync();
	reboot(RB_AUTOBOOT);	/* the VM has -no-reboot: it ends */
	_exit(1);
}

/* Gives us the console as standard streams. */
static void console_open(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		return;
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

int main(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	console_open();
	signal(SIGPIPE, SIG_IGN);

	modules_load();
	root_enter();
	system_mount();
	int port = port_open();
	agent_run(port);
	guest_fail("the host closed the port");
}
