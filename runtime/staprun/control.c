/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's control file: opening, settings, start and stop. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "staprun.h"

int control_open(const char *name)
{
	char path[128];
	struct stp_info info;
	int fd;

	snprintf(path, sizeof(path), "/proc/" STP_CONTROL_PREFIX "%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return complain("no module of stap with the name %s is loaded", name);
	if (fd < 0)
		return complain("cannot open %s: %s", path,
				errno == EBUSY ? "another staprun is attached to it" : strerror(errno));
	if (ioctl(fd, STP_IOC_INFO, &info) || info.version != STP_MSG_VERSION) {
		close(fd); /* or the module could not be removed */
		return complain("module %s speaks another version of the protocol: build it again with this stap", name);
	}
	return fd;
}

int control_setvars(int control)
{
	for (unsigned i = 0; i < opt.nsettings; i++) {
		struct stp_setvar v = { .len = strlen(opt.settings[i].value), .value = (uintptr_t)opt.settings[i].value };

		if (strlen(opt.settings[i].name) >= sizeof(v.name))
			return complain("there is no global variable %s", opt.settings[i].name);
		strcpy(v.name, opt.settings[i].name);
		if (!ioctl(control, STP_IOC_SETVAR, &v))
			continue;
		if (errno == ENOENT)
			return complain("the script has no global variable %s", v.name);
		if (errno == EINVAL)
			return complain("%s=%s: not a number, or the variable is not a plain number or string", v.name,
					opt.settings[i].value);
		return complain("cannot set %s: %s", v.name, strerror(errno));
	}
	return 0;
}

int control_start(int control, pid_t target)
{
	struct stp_start start = { .target = target, .flags = opt.load_only ? STP_START_DETACHED : 0,
				   .namespaces = opt.namespaces };
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm)) {
		start.tz_west = -tm.tm_gmtoff;
		snprintf(start.tz_name, sizeof(start.tz_name), "%s", tm.tm_zone);
	}
	return ioctl(control, STP_IOC_START, &start) ? errno : 0;
}

int control_stop(int control, struct stp_stop_info *info)
{
	memset(info, 0, sizeof(*info));
	return ioctl(control, STP_IOC_STOP, info) ? errno : 0;
}
