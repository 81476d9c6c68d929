/* SPDX-License-Identifier: GPL-2.0-or-later */
/* staprun: options, and the order of things. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "staprun.h"

struct options opt;

static void say(const char *kind, const char *fmt, va_list ap)
{
	output_flush();
	fprintf(stderr, "%s", kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

int complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("ERROR: ", fmt, ap);
	va_end(ap);
	return -1;
}

void warn(const char *fmt, ...)
{
	va_list ap;

	if (opt.suppress_warnings)
		return;
	va_start(ap, fmt);
	say("WARNING: ", fmt, ap);
	va_end(ap);
}

void chat(unsigned level, const char *fmt, ...)
{
	va_list ap;

	if (opt.verbose < level)
		return;
	va_start(ap, fmt);
	say("staprun: ", fmt, ap);
	va_end(ap);
}

static const char usage_text[] =
	"Usage: staprun [OPTIONS] MODULE [VAR=VALUE ...]\n"
	"Loads a module made by `stap -p4', shows its output, and removes it at the end.\n"
	"MODULE is a file, or the name of one in /lib/modules/RELEASE/systemtap.\n"
	"VAR=VALUE sets a global variable of the script.\n"
	"\n"
	"  -c CMD      run CMD while probes are live; target() is its pid; end with it\n"
	"  -x PID      target() is PID\n"
	"  -n PID      ns_pid() and the like speak of the namespaces of process PID\n"
	"  -o FILE     write output to FILE (strftime(3) conversions are expanded)\n"
	"  -S MB[,N]   start a new output file (FILE.0, FILE.1, ...) every MB megabytes, keep N\n"
	"  -T SECONDS  end after so many seconds\n"
	"  -L          load the module, leave it running, and return\n"
	"  -A          attach to a module that is running\n"
	"  -d          remove a module that was left running\n"
	"  -D          go to the background once probes are live, print the pid (needs -o)\n"
	"  -R          load under a name of its own (done anyway for modules that stap named)\n"
	"  -N          load under the module's own name\n"
	"  -b MB       accepted; buffers are set when the module is made (stap -s)\n"
	"  -u          accepted; nothing to do\n"
	"  -w          no warnings\n"
	"  -v          say what is being done\n"
	"  -V          version\n"
	"  -h          this text\n";

/* -S MB[,N] */
static int parse_sizes(const char *arg)
{
	char *end;
	unsigned long mb = strtoul(arg, &end, 10), files = 0;

	if (*end == ',')
		files = strtoul(end + 1, &end, 10);
	if (*end || mb == 0 || mb > 1 << 20 || files > 1 << 20)
		return complain("-S takes a size in megabytes and a number of files, for instance -S 10,3");
	opt.file_size = (uint64_t)mb << 20;
	opt.file_count = files;
	return 0;
}

/* A process that is there, as far as can be told. */
static int parse_pid(char option, const char *arg, pid_t *ret)
{
	char *end;
	long pid = strtol(arg, &end, 10);

	if (*end || pid <= 0 || pid > INT_MAX)
		return complain("-%c takes the number of a process, not \"%s\"", option, arg);
	*ret = pid;
	return kill(*ret, 0) && errno == ESRCH ? complain("there is no process %d", *ret) : 0;
}

static int parse_option(int c)
{
	char *end;

	switch (c) {
	case 'c': opt.command = optarg; return 0;
	case 'x': return parse_pid('x', optarg, &opt.target);
	case 'n': return parse_pid('n', optarg, &opt.namespaces);
	case 'o': opt.output = optarg; return 0;
	case 'S': return parse_sizes(optarg);
	case 'T':
		opt.timeout = strtod(optarg, &end);
		return *end || !(opt.timeout > 0 && opt.timeout < 1e9) ? complain("-T takes a number of seconds, not \"%s\"", optarg) : 0;
	case 'L': opt.load_only = true; return 0;
	case 'A': opt.attach = true; return 0;
	case 'd': opt.delete = true; return 0;
	case 'D': opt.daemonize = true; return 0;
	case 'N': opt.keep_name = true; return 0;
	case 'R': case 'b': case 'u': return 0;
	case 'w': opt.suppress_warnings = true; return 0;
	case 'v': opt.verbose++; return 0;
	case 'V':
		printf("staprun (version %s)\n", STAP_VERSION);
		exit(0);
	case 'h':
		fputs(usage_text, stdout);
		exit(0);
	default:
		fprintf(stderr, "Try `staprun -h'.\n");
		return -1;
	}
}

static int parse_operands(int argc, char **argv)
{
	if (optind >= argc)
		return complain("which module? (try `staprun -h')");
	opt.module = argv[optind++];
	opt.settings = calloc(argc - optind + 1, sizeof(*opt.settings));
	if (!opt.settings)
		return complain("out of memory");
	for (; optind < argc; optind++) {
		char *eq = strchr(argv[optind], '=');

		if (!eq || eq == argv[optind])
			return complain("\"%s\" is not of the form VARIABLE=VALUE", argv[optind]);
		*eq = '\0';
		opt.settings[opt.nsettings++] = (struct setting){ argv[optind], eq + 1 };
	}
	return 0;
}

static int parse_args(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "c:x:n:o:S:T:LAdDRNb:uwvVh", long_options, NULL)) != -1)
		if (parse_option(c))
			return -1;
	if (parse_operands(argc, argv))
		return -1;
	if (opt.daemonize && !opt.output)
		return complain("-D needs a file for the output (-o FILE)");
	if (opt.load_only && opt.command)
		return complain("-L leaves the module running alone: it does not go with -c");
	return 0;
}

/* The name in "/path/stap_x.ko" or "stap_x". */
static const char *base_name(const char *path, char *buf, size_t size)
{
	const char *base = strrchr(path, '/');
	size_t len;

	base = base ? base + 1 : path;
	len = strlen(base);
	if (len > 3 && !strcmp(base + len - 3, ".ko"))
		len -= 3;
	snprintf(buf, size, "%.*s", (int)len, base);
	for (char *p = buf; *p; p++)
		if (*p == '-')
			*p = '_';
	return buf;
}

static int load_and_run(void)
{
	char path[PATH_MAX];
	struct image im;
	int status, watcher = -1;

	if (module_find(opt.module, path, sizeof(path)) || image_read(&im, path))
		return 1;
	if (!opt.keep_name)
		image_make_unique(&im);
	/* before it is loaded: the kernel loads on when this process is killed meanwhile */
	if (!opt.load_only && !module_is_loaded(im.name))
		watcher = watcher_start(im.name);
	if (module_load(&im)) {
		watcher_dismiss(watcher);
		image_free(&im);
		return 1;
	}
	chat(1, "loaded %s", im.name);
	status = session_run(im.name, &im, false, watcher);
	image_free(&im);
	return status;
}

/* Closed ones are opened the wrong way around: no file of ours gets their numbers, and using them fails as before. */
static void hold_standard_files(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	char name[64];

	hold_standard_files();
	if (parse_args(argc, argv))
		return 1;
	if (geteuid() != 0)
		return complain("only root may load probes into the kernel: use sudo, or `stap --vm' to try a script"), 1;
	if (opt.delete || opt.attach) {
		base_name(opt.module, name, sizeof(name));
		if (module_is_other(name))
			return complain("module %s is none of stap's", name), 1;
	}
	if (opt.delete)
		return module_unload(name) ? 1 : 0;
	if (output_open())
		return 1;
	if (opt.daemonize && !opt.load_only && background_go())
		return 1;
	if (opt.attach)
		return session_run(name, NULL, true, watcher_start(name));
	return load_and_run();
}
