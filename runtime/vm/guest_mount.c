/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's file systems: the host's / over 9p, read-only, with a tmpfs on
 * top that takes every change; the tree of this kernel's modules; and what a
 * running system has mounted.  /tmp stays the host's, for scripts that lie there.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "guest.h"

#define HOST "/host"		/* the 9p mount, reachable only before root_enter() is done */
#define SCRATCH "/scratch"
#define ROOT "/newroot"

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t put;

	if (fd < 0)
		return -1;
	put = write(fd, text, strlen(text));
	close(fd);
	return put == (ssize_t)strlen(text) ? 0 : -1;
}

static void mount_or_fail(const char *source, const char *target, const char *type,
			  unsigned long flags, const char *data)
{
	if (mount(source, target, type, flags, data))
		guest_fail("mount %s on %s: %s", type ? type : source, target, strerror(errno));
}

/* Reads KEY=VALUE from the host's configuration into value; empty when it is not there. */
static void config_get(const char *key, char *value, size_t room)
{
	char line[4352];
	size_t length = strlen(key);
	FILE *file = fopen(GUEST_CONFIG, "re");

	value[0] = '\0';
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, key, length) && line[length] == '=')
			snprintf(value, room, "%s", line + length + 1);
	}
	fclose(file);
}

/* mkdir -p */
static void directory_make(const char *path)
{
	char part[4352];

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0755);
		*slash = '/';
	}
	mkdir(part, 0755);
}

/*
 * Makes /lib/modules/RELEASE hold this kernel's modules when they lie elsewhere
 * on the host, together with what the host has there (the link to the headers).
 */
static void modules_mount(void)
{
	char tree[4352], target[512], lower[512], options[9216];
	struct utsname name;
	struct stat st;

	config_get("modules", tree, sizeof(tree));
	if (!tree[0] || uname(&name))
		return;
	snprintf(target, sizeof(target), ROOT "/usr/lib/modules/%s", name.release);
	snprintf(lower, sizeof(lower), HOST "/usr/lib/modules/%s", name.release);
	if (stat(ROOT "/usr/lib/modules", &st)) {
		snprintf(target, sizeof(target), ROOT "/lib/modules/%s", name.release);
		snprintf(lower, sizeof(lower), HOST "/lib/modules/%s", name.release);
	}
	snprintf(options, sizeof(options), HOST "%s", tree);
	if (stat(options, &st) || !strcmp(options, lower))
		return;
	directory_make(target);
	if (stat(lower, &st)) {
		mount_or_fail(options, target, NULL, MS_BIND, NULL);
		return;
	}
	/* A colon in the path would end it: escaped, as overlayfs wants it. */
	char escaped[8192], *to = escaped;
	for (const char *from = options; *from && to < escaped + sizeof(escaped) - 2; from++) {
		if (*from == ':' || *from == '\\' || *from == ',')
			*to++ = '\\';
		*to++ = *from;
	}
	*to = '\0';
	snprintf(options, sizeof(options), "lowerdir=%s:%s", escaped, lower);
	mount_or_fail("overlay", target, "overlay", 0, options);
}

void root_enter(void)
{
	mkdir(HOST, 0755);
	mkdir(SCRATCH, 0755);
	mkdir(ROOT, 0755);
	mount_or_fail("hostroot", HOST, "9p", MS_RDONLY,
		      "trans=virtio,version=9p2000.L,msize=512000,cache=loose");
	mount_or_fail("tmpfs", SCRATCH, "tmpfs", 0, "mode=0755,size=75%");
	mkdir(SCRATCH "/upper", 0755);
	mkdir(SCRATCH "/work", 0755);
	mount_or_fail("overlay", ROOT, "overlay", 0,
		      "lowerdir=" HOST ",upperdir=" SCRATCH "/upper,workdir=" SCRATCH "/work");
	modules_mount();
	umount2("/proc", MNT_DETACH);
	umount2("/sys", MNT_DETACH);
	mkdir(ROOT "/dev", 0755);
	mount_or_fail("/dev", ROOT "/dev", NULL, MS_MOVE, NULL);
	if (chdir(ROOT))
		guest_fail("chdir: %s", strerror(errno));
	mount_or_fail(".", "/", NULL, MS_MOVE, NULL);
	if (chroot(".") || chdir("/"))
		guest_fail("chroot: %s", strerror(errno));
}

/* A mount that the guest can live without. */
static void mount_try(const char *type, const char *target, unsigned long flags, const char *data)
{
	mkdir(target, 0755);
	if (mount(type, target, type, flags, data) && errno != ENODEV && errno != EBUSY)
		fprintf(stderr, "stap-vm: guest: mount %s on %s: %s\n", type, target,
			strerror(errno));
}

static void loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (!ioctl(fd, SIOCGIFFLAGS, &request)) {
		request.ifr_flags |= IFF_UP | IFF_RUNNING;
		ioctl(fd, SIOCSIFFLAGS, &request);
	}
	close(fd);
}

static void link_try(const char *to, const char *path)
{
	if (symlink(to, path) && errno != EEXIST)
		fprintf(stderr, "stap-vm: guest: %s: %s\n", path, strerror(errno));
}

void system_mount(void)
{
	mount_try("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount_try("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount_try("debugfs", "/sys/kernel/debug", 0, NULL);
	mount_try("tracefs", "/sys/kernel/tracing", 0, NULL);
	mount_try("cgroup2", "/sys/fs/cgroup", 0, NULL);
	mount_try("tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=0755");
	mount_try("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
	mount_try("devpts", "/dev/pts", 0, "gid=5,mode=0620,ptmxmode=0666");
	mkdir("/run/lock", 01777);
	link_try("/proc/self/fd", "/dev/fd");
	link_try("/proc/self/fd/0", "/dev/stdin");
	link_try("/proc/self/fd/1", "/dev/stdout");
	link_try("/proc/self/fd/2", "/dev/stderr");
	loopback_up();
	if (sethostname("stap-vm", 7))
		fprintf(stderr, "stap-vm: guest: sethostname: %s\n", strerror(errno));
}
