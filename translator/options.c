/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line, the options file and the environment; see options.h. */
#include "diag.h"
#include "example.h"
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "macro.h"
#include "options_text.h"
#include "paths.h"

enum long_option {
	OPT_FIRST = 256,
	OPT_VERSION, OPT_HELP, OPT_VP, OPT_COLOR, OPT_SKIP_BADVARS, OPT_NO_GLOBAL, OPT_SUPPRESS_ERRORS, OPT_SUPPRESS_TIME,
	OPT_DISABLE_CACHE, OPT_POISON_CACHE, OPT_CLEAN_CACHE, OPT_COMPATIBLE, OPT_DUMP_FUNCTIONS, OPT_DUMP_ALIASES,
	OPT_DUMP_TYPES, OPT_VM, OPT_NAMESPACES, OPT_PREP, OPT_IGNORED, OPT_IGNORED_ARG, OPT_REFUSED, OPT_RUNTIME, OPT_NOT_YET, OPT_BUILD_AS,
	OPT_PRIVILEGE, OPT_EXAMPLE,
};

static const char short_options[] = ":hVvtp:I:e:E:o:R:r:a:m:kgPc:x:D:bs:uqiwl:d:L:FS:B:WG:T:M:C:";

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "vp", required_argument, NULL, OPT_VP },
	{ "color", optional_argument, NULL, OPT_COLOR },
	{ "colour", optional_argument, NULL, OPT_COLOR },
	{ "skip-badvars", no_argument, NULL, OPT_SKIP_BADVARS },
	{ "no-global-var-display", no_argument, NULL, OPT_NO_GLOBAL },
	{ "suppress-handler-errors", no_argument, NULL, OPT_SUPPRESS_ERRORS },
	{ "suppress-time-limits", no_argument, NULL, OPT_SUPPRESS_TIME },
	{ "disable-cache", no_argument, NULL, OPT_DISABLE_CACHE },
	{ "poison-cache", no_argument, NULL, OPT_POISON_CACHE },
	{ "clean-cache", no_argument, NULL, OPT_CLEAN_CACHE },
	{ "compatible", required_argument, NULL, OPT_COMPATIBLE },
	{ "dump-functions", no_argument, NULL, OPT_DUMP_FUNCTIONS },
	{ "dump-probe-aliases", no_argument, NULL, OPT_DUMP_ALIASES },
	{ "dump-probe-types", no_argument, NULL, OPT_DUMP_TYPES },
	{ "vm", optional_argument, NULL, OPT_VM },
	{ "prep", no_argument, NULL, OPT_PREP },
	{ "privilege", required_argument, NULL, OPT_PRIVILEGE },
	{ "unprivileged", no_argument, NULL, OPT_NOT_YET },
	/* change nothing here */
	{ "tmpdir", required_argument, NULL, OPT_IGNORED_ARG },
	{ "modinfo", required_argument, NULL, OPT_IGNORED_ARG },
	{ "download-debuginfo", optional_argument, NULL, OPT_IGNORED_ARG },
	{ "all-modules", no_argument, NULL, OPT_IGNORED },
	{ "ldd", no_argument, NULL, OPT_IGNORED },
	{ "prologue-searching", optional_argument, NULL, OPT_IGNORED_ARG },
	{ "rlimit-as", required_argument, NULL, OPT_IGNORED_ARG },
	{ "rlimit-cpu", required_argument, NULL, OPT_IGNORED_ARG },
	{ "rlimit-nproc", required_argument, NULL, OPT_IGNORED_ARG },
	{ "rlimit-stack", required_argument, NULL, OPT_IGNORED_ARG },
	{ "rlimit-fsize", required_argument, NULL, OPT_IGNORED_ARG },
	{ "save-uprobes", no_argument, NULL, OPT_IGNORED },
	{ "monitor", optional_argument, NULL, OPT_NOT_YET },
	{ "interactive", no_argument, NULL, OPT_NOT_YET },
	{ "sysroot", required_argument, NULL, OPT_NOT_YET },
	{ "sysenv", required_argument, NULL, OPT_NOT_YET },
	{ "target-namespaces", required_argument, NULL, OPT_NAMESPACES },
	{ "example", required_argument, NULL, OPT_EXAMPLE },
	/* other ways to run scripts */
	{ "runtime", required_argument, NULL, OPT_RUNTIME },
	{ "bpf", no_argument, NULL, OPT_REFUSED },
	{ "dyninst", no_argument, NULL, OPT_REFUSED },
	{ "use-server", optional_argument, NULL, OPT_REFUSED },
	{ "use-server-on-error", optional_argument, NULL, OPT_REFUSED },
	{ "list-servers", optional_argument, NULL, OPT_REFUSED },
	{ "trust-servers", optional_argument, NULL, OPT_REFUSED },
	{ "remote", required_argument, NULL, OPT_REFUSED },
	{ "remote-prefix", no_argument, NULL, OPT_REFUSED },
	{ "language-server", no_argument, NULL, OPT_REFUSED },
	{ NULL, 0, NULL, 0 },
};

static bool bad(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
static bool bad(const char *fmt, ...)
{
	va_list ap;

	fputs("stap: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return false;
}

static bool number(const char *option, const char *text, long min, long max, long *ret)
{
	char *end;

	*ret = strtol(text, &end, 10);
	if (*text && !*end && *ret >= min && *ret <= max)
		return true;
	return bad("%s takes a number from %ld to %ld, not \"%s\"", option, min, max, text);
}

/* 4194304: the kernel's PID_MAX_LIMIT. */
static bool process_number(const char *option, const char *text, int *ret)
{
	long n = 0;
	bool ok = number(option, text, 1, 4194304, &n);

	*ret = (int)n;
	return ok;
}

static bool set_passes(struct options *o, const char *arg)
{
	long n;

	if (!number("-p", arg, 1, 5, &n))
		return false;
	o->last_pass = n;
	return true;
}

/* --vp 01003: one digit a pass. */
static bool set_vp(struct options *o, const char *arg)
{
	for (int i = 0; arg[i]; i++) {
		if (!isdigit((unsigned char)arg[i]) || i >= 5)
			return bad("--vp takes up to five digits, one a pass, not \"%s\"", arg);
		o->verbose[i + 1] += arg[i] - '0';
	}
	return true;
}

static bool set_color(struct options *o, const char *arg)
{
	if (!arg || !strcmp(arg, "always"))
		o->color = 1;
	else if (!strcmp(arg, "never"))
		o->color = 0;
	else if (!strcmp(arg, "auto"))
		o->color = -1;
	else
		return bad("--color takes always, never or auto, not \"%s\"", arg);
	return true;
}

static bool set_compatible(struct options *o, const char *arg)
{
	if (!isdigit((unsigned char)*arg) || strspn(arg, "0123456789.") != strlen(arg))
		return bad("--compatible takes a version of the language, such as 1.7, not \"%s\"", arg);
	if (version_compare(arg, STAP_LANGUAGE_VERSION) > 0)
		return bad("--compatible=%s: the newest version of the language known here is " STAP_LANGUAGE_VERSION, arg);
	o->compatible = arg;
	return true;
}

/* -m NAME: a C identifier in the end; "-" becomes "_", ".ko" is left off. */
static bool set_module(struct options *o, const char *arg)
{
	char *name = g_strdup(arg);

	if (g_str_has_suffix(name, ".ko")) {
		name[strlen(name) - 3] = '\0';
		fprintf(stderr, "Truncating module name to '%s'\n", name);
	}
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	if (!*name || strlen(name) > 55 || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(name))
		return bad("a module name (-m) has up to 55 letters, digits and '_', not \"%s\"", arg);
	if (strcmp(name, arg) && strchr(arg, '-'))
		fprintf(stderr, "WARNING: the module is called %s\n", name);
	o->module_name = name;
	return true;
}

static bool set_define(struct options *o, char *arg)
{
	size_t n = strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (!n || isdigit((unsigned char)*arg) || (arg[n] && arg[n] != '='))
		return bad("-D takes NAME or NAME=VALUE, not \"%s\"", arg);
	g_ptr_array_add(o->defines, arg);
	return true;
}

static bool set_global(struct options *o, char *arg)
{
	if (!strchr(arg, '=') || *arg == '=')
		return bad("-G takes VARIABLE=VALUE, not \"%s\"", arg);
	g_ptr_array_add(o->globals, arg);
	return true;
}

static bool set_script(struct options *o, char *arg, bool main_script)
{
	if (main_script && o->have_e)
		return bad("there is more than one -e script; use -E for the others");
	if (main_script) {
		o->have_e = true;
		g_ptr_array_insert(o->script_text, 0, arg);
	} else {
		g_ptr_array_add(o->script_text, arg);
	}
	return true;
}

static bool set_list(struct options *o, const char *arg, bool vars)
{
	if (o->list)
		return bad("-l and -L take one pattern");
	o->list = true;
	o->list_vars = vars;
	o->list_pattern = arg;
	return true;
}

static bool set_example(struct options *o, const char *name)
{
	char *err = NULL;

	o->script_file = example_find(name, &err);
	o->is_example = true;
	return o->script_file || bad("%s", err);
}

static bool short_option(struct options *o, int c, char *arg)
{
	long n;

	switch (c) {
	case 'v':
		for (int i = 0; i < 6; i++)
			o->verbose[i]++;
		return true;
	case 't': o->timing = true; return true;
	case 'p': return set_passes(o, arg);
	case 'I': g_ptr_array_add(o->include_dirs, arg); return true;
	case 'e': return set_script(o, arg, true);
	case 'E': return set_script(o, arg, false);
	case 'o': o->output = arg; return true;
	case 'R': g_setenv("SYSTEMTAP_RUNTIME", arg, TRUE); return true;
	case 'r': o->release = arg; return true;
	case 'a':
		return !strcmp(arg, "x86_64") || bad("probes for %s machines cannot be built yet, only for x86_64", arg);
	case 'm': return set_module(o, arg);
	case 'k': o->keep_tmp = true; return true;
	case 'g': o->guru = true; return true;
	case 'c': o->cmd = arg; return true;
	case 'x':
		return process_number("-x", arg, &o->target_pid);
	case 'D': return set_define(o, arg);
	case 's':
		if (!number("-s", arg, 1, 4095, &n))
			return false;
		o->buffer_mb = n;
		return true;
	case 'u': o->unoptimized = true; return true;
	case 'w': o->suppress_warnings = true; return true;
	case 'W': o->warnings_as_errors = true; return true;
	case 'l': return set_list(o, arg, false);
	case 'L': return set_list(o, arg, true);
	case 'S': o->size_spec = arg; return true;
	case 'B': return bad("-B %s: modules are not built by the kernel's make here, which is what -B has settings for; leave it out"
			     " (-D passes settings to a script's C code)", arg);
	case 'G': return set_global(o, arg);
	case 'T': {
		char *end;
		double s = strtod(arg, &end);

		if (*end || !(s > 0 && s <= 1e6))
			return bad("-T takes a number of seconds, not \"%s\"", arg);
		o->timeout_ms = s < 0.001 ? 1 : (int)(s * 1000 + 0.5); /* 0 is without an end */
		return true;
	}
	case 'F': o->flight = true; return true;
	case 'i': return bad("-i (interactive) is not there yet");
	case 'C': return bad("-C belongs to compile servers, which this stap does not have");
	case 'd': g_ptr_array_add(o->data_files, arg); return true;
	default: return true; /* -P -b -q -M: nothing to do here */
	}
}

static bool long_option(struct options *o, int c, const char *name, char *arg)
{
	switch (c) {
	case OPT_VP: return set_vp(o, arg);
	case OPT_COLOR: return set_color(o, arg);
	case OPT_SKIP_BADVARS: o->skip_badvars = true; return true;
	case OPT_NO_GLOBAL: o->no_global_display = true; return true;
	case OPT_SUPPRESS_ERRORS: o->suppress_handler_errors = true; return true;
	case OPT_SUPPRESS_TIME: o->suppress_time_limits = true; return true;
	case OPT_DISABLE_CACHE: o->no_cache = true; return true;
	case OPT_POISON_CACHE: o->poison_cache = true; return true;
	case OPT_CLEAN_CACHE: o->clean_cache = true; return true;
	case OPT_PREP: o->prep = true; return true;
	case OPT_COMPATIBLE: return set_compatible(o, arg);
	case OPT_DUMP_FUNCTIONS: o->dump_functions = true; return true;
	case OPT_DUMP_ALIASES: o->dump_aliases = true; return true;
	case OPT_DUMP_TYPES: o->dump_types = true; return true;
	case OPT_NAMESPACES: return process_number("--target-namespaces", arg, &o->namespaces_pid);
	case OPT_VM: o->vm = arg ? arg : ""; return true;
	case OPT_RUNTIME:
		return !strcmp(arg, "kernel") || bad("--runtime=%s: scripts run as kernel modules here, there is no other runtime", arg);
	case OPT_PRIVILEGE:
		return !strcmp(arg, "stapdev") || bad("--privilege=%s is not there yet: scripts are run by root", arg);
	case OPT_EXAMPLE: return set_example(o, arg);
	case OPT_REFUSED: return bad("--%s: scripts run as kernel modules on this machine here; leave the option out", name);
	case OPT_NOT_YET: return bad("--%s is not there yet", name);
	default: return true; /* OPT_IGNORED */
	}
}

/* What getopt_long() did not like. */
static bool refuse(int why, char **argv)
{
	const char *text = argv[optind - 1];
	bool is_long = g_str_has_prefix(text, "--");
	char *name = is_long ? g_strndup(text + 2, strcspn(text + 2, "=")) : g_strdup_printf("%c", optopt);
	GPtrArray *names = g_ptr_array_new();
	const char *near;
	unsigned begin_so = 0, takes_none = 0;

	for (const struct option *l = long_options; l->name; l++) {
		g_ptr_array_add(names, (char *)l->name);
		begin_so += is_long && g_str_has_prefix(l->name, name);
		takes_none += is_long && strchr(text, '=') && !strcmp(l->name, name);
	}
	near = is_long ? diag_nearest(name, names) : NULL;
	if (why == ':')
		bad("%s%s needs an argument", is_long ? "--" : "-", name);
	else if (takes_none)
		bad("--%s takes no argument", name);
	else if (begin_so > 1)
		bad("--%s is the beginning of more than one option", name);
	else
		bad("there is no option %s%s%s%s%s (see stap --help)", is_long ? "--" : "-", name, near ? "; did you mean --" : "", near ? near : "",
		    near ? "?" : "");
	g_ptr_array_free(names, TRUE);
	g_free(name);
	return false;
}

/* Returns false when options are wrong; sets *done for -h, -V and --example alone. */
static bool parse(struct options *o, int argc, char **argv, bool *done)
{
	int c, index = 0;

	optind = 1;
	opterr = 0;
	while ((c = getopt_long(argc, argv, short_options, long_options, &index)) != -1) {
		if (c == 'h' || c == 'V' || c == OPT_VERSION) {
			fputs(c == 'h' ? options_help : options_version, stdout);
			*done = true;
			return true;
		}
		if (c == ':' && optopt == OPT_EXAMPLE) {
			example_list();
			*done = true;
			return true;
		}
		if (c == '?' || c == ':')
			return refuse(c, argv);
		if (!(c < OPT_FIRST ? short_option(o, c, optarg) : long_option(o, c, long_options[index].name, optarg)))
			return false;
	}
	return true;
}

/* SYSTEMTAP_DIR/rc: options, one or more a line, after shell rules. */
static bool parse_rc(struct options *o)
{
	char *path = g_build_filename(stap_user_dir(), "rc", NULL), *text, **lines;
	bool ok = true, done = false;

	if (!g_file_get_contents(path, &text, NULL, NULL)) {
		g_free(path);
		return true;
	}
	lines = g_strsplit(text, "\n", -1);
	for (int i = 0; lines[i] && ok; i++) {
		char **words, **argv;
		int n;
		GError *err = NULL;

		g_strstrip(lines[i]);
		if (!*lines[i] || *lines[i] == '#')
			continue;
		if (!g_shell_parse_argv(lines[i], &n, &words, &err)) {
			ok = bad("%s:%d: %s", path, i + 1, err->message);
			break;
		}
		argv = g_new0(char *, n + 2);
		argv[0] = "stap";
		memcpy(argv + 1, words, n * sizeof(*argv));
		ok = parse(o, n + 1, argv, &done);
		if (ok && optind < n + 1)
			ok = bad("%s:%d: only options belong here, not \"%s\"", path, i + 1, argv[optind]);
	}
	g_strfreev(lines);
	g_free(text);
	g_free(path);
	return ok;
}

/*
 * A script run as a program (#!/usr/bin/stap -g -v) gets all its options in one argument, with blanks inside:
 * argv = stap "-g -v" SCRIPT ARGS.  Splits that one.
 */
static char **split_interpreter_options(int *argc, char **argv)
{
	char **words, **out;
	int n, k = 0;

	if (*argc < 3 || argv[1][0] != '-' || !strchr(argv[1], ' ') || argv[2][0] == '-' ||
	    !g_file_test(argv[2], G_FILE_TEST_IS_REGULAR) || g_str_has_prefix(argv[1], "-e") ||
	    !g_shell_parse_argv(argv[1], &n, &words, NULL))
		return argv;
	out = g_new0(char *, *argc + n + 1);
	out[k++] = argv[0];
	for (int i = 0; i < n; i++)
		out[k++] = words[i];
	for (int i = 2; i < *argc; i++)
		out[k++] = argv[i];
	*argc = k;
	return out;
}

/* Files that are mapped get their symbols without -d; a name without / may be a module's. Returns false when that is an error (-W). */
static bool check_data_files(const struct options *o)
{
	for (guint i = 0; i < o->data_files->len; i++) {
		const char *path = o->data_files->pdata[i];

		if (!strchr(path, '/') || !access(path, R_OK))
			continue;
		if (o->warnings_as_errors)
			return bad("-d %s: %s", path, strerror(errno));
		if (!o->suppress_warnings)
			fprintf(stderr, "WARNING: -d %s: %s\n", path, strerror(errno));
	}
	return true;
}

static bool check(struct options *o)
{
	bool other_work = o->list || o->dump_functions || o->dump_aliases || o->dump_types || o->prep || o->clean_cache;

	if (!o->script_file && !o->have_e && !other_work)
		return bad("a script is needed: stap FILE, stap -e 'SCRIPT', or stap - for standard input (see stap --help)");
	if (o->list && (o->script_file || o->have_e))
		return bad("-l and -L take a probe point instead of a script");
	if (o->cmd && o->target_pid)
		return bad("-c and -x exclude each other: there is one target()");
	if (o->vm && (o->target_pid || o->namespaces_pid))
		return bad("%s names a process of this machine: it cannot be seen from a virtual machine (--vm)",
			   o->target_pid ? "-x" : "--target-namespaces");
	if (o->flight && o->vm)
		return bad("-F leaves the probes running: it does not go with --vm, which ends its machine with the script");
	if (o->flight && !o->output && (o->cmd || o->timeout_ms || o->size_spec))
		return bad("-F without -o leaves the probes running by themselves: %s needs -o FILE beside it", o->cmd ? "-c" : o->timeout_ms ? "-T" : "-S");
	return check_data_files(o);
}

enum options_result options_parse(struct options *o, int argc, char **argv)
{
	bool done = false;

	o->script_text = g_ptr_array_new();
	o->args = g_ptr_array_new();
	o->include_dirs = g_ptr_array_new();
	o->defines = g_ptr_array_new();
	o->globals = g_ptr_array_new();
	o->data_files = g_ptr_array_new();
	o->last_pass = 5;
	o->color = -1;
	o->release = g_getenv("SYSTEMTAP_RELEASE");
	if (g_getenv("SYSTEMTAP_COLORS") && !*g_getenv("SYSTEMTAP_COLORS"))
		o->color = 0;
	argv = split_interpreter_options(&argc, argv);
	if (!parse_rc(o) || !parse(o, argc, argv, &done))
		return OPTIONS_BAD;
	if (done)
		return OPTIONS_DONE;
	if (!o->have_e && !o->list && !o->script_file && optind < argc)
		o->script_file = argv[optind++];
	for (; optind < argc; optind++)
		g_ptr_array_add(o->args, argv[optind]);
	if (o->list)
		o->last_pass = 2;
	if (o->module_name && o->last_pass > 4 && o->keep_tmp)
		o->relink = true;
	return check(o) ? OPTIONS_RUN : OPTIONS_BAD;
}
