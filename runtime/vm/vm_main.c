/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of stap-vm. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm.h"

static const char usage[] =
"Usage: stap-vm COMMAND [OPTION]... [-- PROGRAM [ARG]...]\n"
"Runs programs in a throw-away virtual machine that sees this file system read-only.\n"
"\n"
"  kernels                list the kernels that can be booted\n"
"  fetch [RELEASE]        get a kernel from the distribution's packages into the cache\n"
"  run -- PROGRAM ...     boot, run the program as if here, end the guest\n"
"  start --socket PATH    boot a guest that stays\n"
"  exec --socket PATH -- PROGRAM ...  run a program in it\n"
"  nmi --socket PATH      send its CPUs a non-maskable interrupt\n"
"  stop --socket PATH     end it\n"
"\n"
"Options of run and start:\n"
"  --kernel RELEASE       a release or the start of one, such as 6.1 (default: the newest)\n"
"  --kernel-dir DIR       the kernel in DIR/boot and DIR/lib/modules\n"
"  --smp N                CPUs (2)      --mem SIZE    memory (4G)\n"
"  --icount               one CPU whose clock counts instructions\n"
"  --turns                emulated CPUs take turns in one thread (see runtime/vm/README)\n"
"  --append TEXT          more kernel command line\n"
"  --console FILE         write the console's text to FILE\n"
"  --boot-timeout S       (120)         --hang S      silence that means a hang (60)\n"
"  --parent PID           (start) end the guest when that process is gone\n"
"  -v, --verbose          show the console\n"
"Options of run and exec:\n"
"  --timeout S            end the program after S seconds\n"
"  --user UID             run it as this user (default: root)\n"
"  --fail-on-warning      exit with 124 when the kernel warned meanwhile\n"
"  --no-refresh           (exec) trust the guest's cache of this file system\n"
"\n"
"The exit status is the program's; 123 after --timeout, 124 after a kernel warning with\n"
"--fail-on-warning, 125 when the guest panicked, hung or did not come up.\n"
"STAP_VM_ACCEL=kvm or tcg in the environment chooses how QEMU runs; KVM is tried first, and not\n"
"again once a guest did not come up under it.\n";

enum {
	OPT_KERNEL = 256, OPT_DIR, OPT_SMP, OPT_MEM, OPT_ICOUNT, OPT_TURNS, OPT_APPEND, OPT_CONSOLE,
	OPT_BOOT, OPT_HANG, OPT_PARENT, OPT_TIMEOUT, OPT_USER, OPT_FAIL, OPT_STALE, OPT_SOCKET,
	OPT_GUEST,
};

static const struct option long_options[] = {
	{ "kernel", required_argument, NULL, OPT_KERNEL },
	{ "kernel-dir", required_argument, NULL, OPT_DIR },
	{ "smp", required_argument, NULL, OPT_SMP },
	{ "mem", required_argument, NULL, OPT_MEM },
	{ "icount", no_argument, NULL, OPT_ICOUNT },
	{ "turns", no_argument, NULL, OPT_TURNS },
	{ "append", required_argument, NULL, OPT_APPEND },
	{ "console", required_argument, NULL, OPT_CONSOLE },
	{ "boot-timeout", required_argument, NULL, OPT_BOOT },
	{ "hang", required_argument, NULL, OPT_HANG },
	{ "parent", required_argument, NULL, OPT_PARENT },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "user", required_argument, NULL, OPT_USER },
	{ "fail-on-warning", no_argument, NULL, OPT_FAIL },
	{ "no-refresh", no_argument, NULL, OPT_STALE },
	{ "socket", required_argument, NULL, OPT_SOCKET },
	{ "guest", required_argument, NULL, OPT_GUEST },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

__attribute__((noreturn))
static void usage_error(const char *what)
{
	vm_message("%s (stap-vm --help tells how)", what);
	exit(VM_STATUS_USAGE);
}

/* A number of at least least, or the end. */
static unsigned int number_parse(const char *text, unsigned int least)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || value < least || value > 1000000000)
		usage_error(text);
	return value;
}

static void options_parse(int argc, char *argv[], struct vm_options *options)
{
	int option;

	while ((option = getopt_long(argc, argv, "+hv", long_options, NULL)) >= 0) {
		switch (option) {
		case OPT_KERNEL: options->kernel = optarg; break;
		case OPT_DIR: options->kernel_dir = optarg; break;
		case OPT_SMP: options->smp = number_parse(optarg, 1); break;
		case OPT_MEM: options->memory = optarg; break;
		case OPT_ICOUNT: options->icount = true; break;
		case OPT_TURNS: options->turns = true; break;
		case OPT_APPEND: options->append = optarg; break;
		case OPT_CONSOLE: options->console = optarg; break;
		case OPT_BOOT: options->boot_s = number_parse(optarg, 1); break;
		case OPT_HANG: options->hang_s = number_parse(optarg, 5); break;
		case OPT_PARENT: options->parent = number_parse(optarg, 1); break;
		case OPT_TIMEOUT: options->timeout_s = number_parse(optarg, 1); break;
		case OPT_USER: number_parse(optarg, 0); options->user = optarg; break;
		case OPT_FAIL: options->fail_on_warning = true; break;
		case OPT_STALE: options->no_refresh = true; break;
		case OPT_SOCKET: options->socket = optarg; break;
		case OPT_GUEST: options->guest = optarg; break;
		case 'v': options->verbose = true; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: exit(VM_STATUS_USAGE);
		}
	}
}

/* The guest program lies beside us, in the build tree or installed. */
static char *guest_find(void)
{
	static const char *const places[] = {
		"build/vm-guest", "vm-guest", "../share/stap/vm-guest",
	};
	char exe[4096];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (length < 0)
		vm_fail("/proc/self/exe: %s", strerror(errno));
	exe[length] = '\0';
	char *dir = dirname(exe);
	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = vm_format("%s/%s", dir, places[i]);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	vm_fail("the guest program is not there: %s/build/vm-guest", dir);
}

static struct vm_kernel *kernel_choose(const struct vm_options *options)
{
	struct vm_kernel *kernel;

	if (options->kernel_dir)
		kernel = kernel_in_dir(options->kernel_dir);
	else
		kernel = kernel_fetch(options->kernel, false);
	if (!kernel)
		exit(VM_STATUS_BROKEN);
	return kernel;
}

static int kernels_command(void)
{
	struct vm_kernel *list = kernel_list();

	for (struct vm_kernel *k = list; k; k = k->next)
		printf("%-32s %-10s %s\n", k->release, k->cached ? "cached" : "installed",
		       k->headers ? "with headers" : "no headers");
	if (!list)
		vm_message("none yet; 'stap-vm fetch' gets one");
	kernel_free(list);
	return list ? 0 : 1;
}

static int fetch_command(const char *name)
{
	struct vm_kernel *kernel = kernel_fetch(name, false);

	if (!kernel)
		return VM_STATUS_BROKEN;
	printf("%s\n", kernel->release);
	kernel_free(kernel);
	return 0;
}

/* Forks the server of a guest; returns its pid, and our end of its socket in *fd. */
static pid_t server_fork(const struct vm_options *options, const struct vm_kernel *kernel,
			 int listen_fd, int *fd)
{
	int ends[2];
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		vm_fail("socketpair: %s", strerror(errno));
	pid_t pid = fork();
	if (pid < 0)
		vm_fail("fork: %s", strerror(errno));
	if (pid) {
		close(ends[1]);
		*fd = ends[0];
		return pid;
	}
	close(ends[0]);
	setsid();	/* ^C on the terminal is the client's affair */
	if (listen_fd < 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(VM_STATUS_BROKEN);
	}
	/* Whoever reads our output must not wait for the server's end. */
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	if (listen_fd >= 0 && !options->verbose)
		dup2(null, 2);
	_exit(server_run(options, kernel, ends[1], listen_fd));
}

static int run_command(const struct vm_options *options, char *argv[])
{
	struct vm_options own = *options;
	struct vm_kernel *kernel = kernel_choose(options);
	int fd;

	own.no_refresh = true;
	own.socket = NULL;
	pid_t server = server_fork(&own, kernel, -1, &fd);
	int status = client_wait_ready(fd, kernel->release);
	if (!status)
		status = client_run(fd, &own, argv);
	close(fd);
	waitpid(server, NULL, 0);
	kernel_free(kernel);
	return status;
}

/* A name too long for an address is reached through a descriptor of its directory. */
static void address_fill(struct sockaddr_un *address, const char *path)
{
	const size_t room = sizeof(address->sun_path);

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	if (!path)
		usage_error("--socket PATH is missing");
	if (strlen(path) < room) {
		strcpy(address->sun_path, path);
		return;
	}
	const char *base = strrchr(path, '/');
	if (!base)
		vm_fail("%s: too long for a socket's name", path);
	char *dir = vm_format("%.*s", (int)(base - path), path);
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		vm_fail("%s: %s", dir, strerror(errno));
	if (snprintf(address->sun_path, room, "/proc/self/fd/%d%s", fd, base) >= (int)room)
		vm_fail("%s: too long for a socket's name", path);
	free(dir);
}

static int socket_connect(const char *path)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address_fill(&address, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		vm_message("no guest at %s: %s", path, strerror(errno));
		exit(VM_STATUS_BROKEN);
	}
	return fd;
}

static int start_command(const struct vm_options *options)
{
	struct sockaddr_un address;
	struct vm_kernel *kernel;
	int fd, probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address_fill(&address, options->socket);
	kernel = kernel_choose(options);
	if (!connect(probe, (struct sockaddr *)&address, sizeof(address)))
		vm_fail("a guest is at %s already", options->socket);
	close(probe);
	unlink(options->socket);
	mode_t mask = umask(077);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 16))
		vm_fail("%s: %s", options->socket, strerror(errno));
	umask(mask);
	pid_t server = server_fork(options, kernel, listener, &fd);
	close(listener);
	int status = client_wait_ready(fd, kernel->release);
	close(fd);
	if (status) {
		kill(server, SIGKILL);	/* QEMU dies with it */
		waitpid(server, NULL, 0);
		unlink(options->socket);
	} else {
		printf("%s\n", kernel->release);
	}
	kernel_free(kernel);
	return status;
}

static int exec_command(const struct vm_options *options, char *argv[])
{
	int fd = socket_connect(options->socket);
	int status = client_run(fd, options, argv);

	close(fd);
	return status;
}

static int nmi_command(const struct vm_options *options)
{
	int fd = socket_connect(options->socket);
	struct vm_buffer out = { 0 };
	char rest[256];

	frame_append(&out, VM_NMI, 0, NULL, 0);
	buffer_flush(&out, fd);
	while (read(fd, rest, sizeof(rest)) > 0)
		;
	return 0;
}

int main(int argc, char *argv[])
{
	struct vm_options options = {
		.smp = 2, .memory = "4G", .boot_s = 120, .hang_s = 60,
	};

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage, argc < 2 ? stderr : stdout);
		return argc < 2 ? VM_STATUS_USAGE : 0;
	}
	const char *command = argv[1];
	bool takes_program = !strcmp(command, "run") || !strcmp(command, "exec");
	argv[1] = argv[0];
	argc--, argv++;
	options_parse(argc, argv, &options);
	argv += optind;
	if (takes_program && !argv[0])
		usage_error("no program to run");
	if (!strcmp(command, "kernels"))
		return kernels_command();
	if (!strcmp(command, "fetch"))
		return fetch_command(argv[0]);
	if (!strcmp(command, "exec"))
		return exec_command(&options, argv);
	if (!strcmp(command, "stop"))
		return client_stop(socket_connect(options.socket));
	if (!strcmp(command, "nmi"))
		return nmi_command(&options);
	if (!options.guest)
		options.guest = guest_find();
	if (!strcmp(command, "run"))
		return run_command(&options, argv);
	if (!strcmp(command, "start"))
		return start_command(&options);
	usage_error(command);
}
