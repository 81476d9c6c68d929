/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 5: staprun, here or in a virtual machine, with the session's options handed on. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel.h"
#include "paths.h"
#include "session.h"
#include "run.h"

static const struct loc nowhere;
static volatile pid_t running;

/* The terminal sends ^C to the loader as well; others send their signals to us alone. */
static void forward(int sig)
{
	if (running > 0)
		kill(running, sig);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = forward };

	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGQUIT, &sa, NULL);
}

static void add(GPtrArray *argv, const char *option, const char *value)
{
	if (option)
		g_ptr_array_add(argv, (char *)option);
	if (value)
		g_ptr_array_add(argv, (char *)value);
}

static GPtrArray *loader_command(struct session *s)
{
	const struct options *o = &s->opt;
	GPtrArray *argv = g_ptr_array_new();

	if (o->vm) {
		add(argv, stap_vm_program(), "run");
		add(argv, "--kernel", s->kernel->release);
		add(argv, "--turns", NULL); /* runtime/vm/README: reliable before fast */
		if (o->verbose[5] >= 2)
			add(argv, "--verbose", NULL);
		add(argv, "--", NULL);
	}
	add(argv, stap_staprun(), NULL);
	for (int i = 0; i < o->verbose[5]; i++)
		add(argv, "-v", NULL);
	if (o->suppress_warnings)
		add(argv, "-w", NULL);
	if (o->cmd)
		add(argv, "-c", o->cmd);
	if (o->target_pid)
		add(argv, "-x", arena_printf(s, "%d", o->target_pid));
	if (o->namespaces_pid)
		add(argv, "-n", arena_printf(s, "%d", o->namespaces_pid));
	if (o->output)
		add(argv, "-o", o->output);
	if (o->size_spec)
		add(argv, "-S", o->size_spec);
	if (o->timeout_ms)
		add(argv, "-T", arena_printf(s, "%d.%03d", o->timeout_ms / 1000, o->timeout_ms % 1000));
	if (o->module_name)
		add(argv, "-N", NULL);
	if (o->flight)
		add(argv, o->output ? "-D" : "-L", NULL);
	add(argv, s->module_path, NULL);
	for (guint i = 0; i < o->globals->len; i++)
		add(argv, o->globals->pdata[i], NULL);
	g_ptr_array_add(argv, NULL);
	return argv;
}

/* 0, or -1 after saying that a process is not there (any more). */
static int check_process(struct session *s, int pid)
{
	return pid && kill(pid, 0) && errno == ESRCH ? diag_error(s, nowhere, "no-process", "there is no process %d", pid) : 0;
}

int run_check(struct session *s)
{
	const struct options *o = &s->opt;

	if (o->last_pass < 5)
		return 0;
	if (check_process(s, o->target_pid) || check_process(s, o->namespaces_pid))
		return -1;
	if (o->vm && o->output)
		return diag_error(s, nowhere, "vm-output", "-o does not go with --vm: files that the guest writes are gone with it"
				  " (redirect the output instead)");
	if (o->vm)
		return 0;
	if (!s->kernel->is_running)
		return diag_error(s, nowhere, "other-kernel", "a module for kernel %s cannot be run on this one; -p4 makes the"
				  " module only, --vm=%s runs it in a virtual machine", s->kernel->release, s->kernel->release);
	if (access("/proc/modules", F_OK))
		return diag_error(s, nowhere, "no-modules", "this kernel loads no modules; --vm runs the script in a virtual machine");
	if (geteuid() != 0 && !g_getenv("SYSTEMTAP_STAPRUN"))
		return diag_error(s, nowhere, "no-root", "only root may load probes into the kernel: use sudo, or --vm to run the"
				  " script in a virtual machine, or -p4 to make the module only");
	return 0;
}

int pass5_run(struct session *s, int *status)
{
	GPtrArray *argv = loader_command(s);
	int st = 0;

	if (s->opt.verbose[5])
		fprintf(stderr, "Pass 5: starting run.\n");
	fflush(stdout);
	catch_signals();
	running = fork();
	if (running == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		execvp(argv->pdata[0], (char **)argv->pdata);
		fprintf(stderr, "ERROR: cannot run %s: %s\n", (char *)argv->pdata[0], g_strerror(errno));
		_exit(127);
	}
	g_ptr_array_free(argv, TRUE);
	if (running < 0)
		return diag_error(s, nowhere, "fork", "cannot start the loader: %s", g_strerror(errno));
	while (waitpid(running, &st, 0) < 0 && errno == EINTR)
		;
	running = 0;
	if (s->opt.flight && !s->opt.output && WIFEXITED(st) && WEXITSTATUS(st) == 0)
		fprintf(stderr, "The probes run on: `staprun -A NAME' shows their output and ends them, `staprun -d NAME' just ends them.\n");
	*status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
	if (WIFSIGNALED(st))
		diag_error(s, nowhere, "loader-killed", "the loader ended by signal %d (%s)", WTERMSIG(st), strsignal(WTERMSIG(st)));
	return *status ? -1 : 0;
}
