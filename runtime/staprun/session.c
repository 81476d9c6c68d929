/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One session: from the loaded module to the removed one.  Everything that can end it (signals, the
 * command's end, the time limit, the script's exit()) arrives in one poll loop.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "staprun.h"

struct session {
	const char *name;
	int control, signals, timer, watcher;
	struct reader *reader;
	struct child child;
	struct input input;
	bool over;                 /* time to stop */
	bool child_failed;
	bool detach;               /* leave the module running */
};

/* Interrupts a call into the module that takes long. */
static void interrupted(int sig)
{
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = interrupted }, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int open_timer(double seconds)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct itimerspec when = { .it_value = { (time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9) } };

	if (!when.it_value.tv_sec && !when.it_value.tv_nsec)
		when.it_value.tv_nsec = 1; /* 0 would be never */
	if (fd >= 0)
		timerfd_settime(fd, 0, &when, NULL);
	return fd;
}

/* Every child that has ended; the command's end is the session's. */
static void reap(struct session *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != s->child.pid)
			continue;
		s->child.pid = 0;
		s->over = true;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			continue;
		s->child_failed = true;
		if (WIFEXITED(status))
			warn("Child process exited with status %d", WEXITSTATUS(status));
		else
			warn("Child process exited with signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	}
}

static void take_signals(struct session *s)
{
	struct signalfd_siginfo si;

	while (read(s->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD) {
			reap(s);
			continue;
		}
		if (si.ssi_signo == SIGUSR2) {
			output_switch();
			continue;
		}
		s->over = true;
	}
}

static int loop(struct session *s)
{
	struct pollfd fds[] = { { s->control, POLLIN, 0 }, { s->signals, POLLIN, 0 }, { s->timer, POLLIN, 0 },
				{ -1, POLLIN, 0 } };

	while (!s->over) {
		fds[3].fd = input_poll_fd(&s->input);
		fds[3].revents = 0;
		if (poll(fds, 4, 1000) < 0 && errno != EINTR)
			return complain("poll: %s", strerror(errno));
		if (reader_drain(s->reader, false))
			return -1;
		if (fds[0].revents & (POLLHUP | POLLERR))
			s->over = true;
		if (fds[1].revents)
			take_signals(s);
		if (fds[2].revents)
			s->over = true;
		if (fds[3].revents)
			input_take(&s->input);
	}
	return 0;
}

/* Has the script ended by itself, in its begin probes, or by an error in them? */
static bool is_over(const struct session *s)
{
	struct pollfd control = { s->control, POLLIN, 0 };

	return poll(&control, 1, 0) == 1 && control.revents & (POLLHUP | POLLERR);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/*
 * begin and end probes may print more than the rings hold, and the module waits for room then: so START and STOP
 * run in a thread of their own while this one reads.
 */
struct call {
	int control, done; /* done: an eventfd */
	pid_t target;
	struct stp_stop_info *info; /* NULL: START */
	int err;           /* result: 0 or an errno */
};

static void *call_thread(void *arg)
{
	struct call *c = arg;
	uint64_t one = 1;

	c->err = c->info ? control_stop(c->control, c->info) : control_start(c->control, c->target);
	return write(c->done, &one, sizeof(one)) == sizeof(one) ? c : NULL;
}

/* Reads until the call has returned; a failing output does not end that, it would keep the module waiting. */
static int call_while_reading(struct session *s, struct call *c)
{
	pthread_t thread;
	struct pollfd fds[] = { { s->control, POLLIN, 0 }, { -1, POLLIN, 0 }, { s->signals, POLLIN, 0 } };
	int rc = 0;

	c->control = s->control;
	c->done = fds[1].fd = eventfd(0, EFD_CLOEXEC);
	if (c->done < 0 || pthread_create(&thread, NULL, call_thread, c))
		return complain("cannot start a thread: %s", strerror(errno));
	while (!fds[1].revents) {
		if (poll(fds, 3, 100) < 0)
			fds[1].revents = fds[2].revents = 0;
		if (!opt.load_only && reader_drain(s->reader, false))
			rc = -1;
		if (fds[2].revents)
			take_signals(s);
		if (s->over && !c->info)
			pthread_kill(thread, SIGUSR1); /* leave attaching at the next opportunity */
	}
	pthread_join(thread, NULL);
	close(c->done);
	if (c->err == EINTR && s->over)
		return complain("ended before the probes were live");
	if (c->err)
		return complain("the probes could not be %s: %s", c->info ? "stopped" : "started", strerror(c->err));
	return rc;
}

static int start(struct session *s, const struct image *im)
{
	double began = now(), found;
	struct call call = { 0 };

	if (control_setvars(s->control) || sites_send(s->control, im) || addresses_send(s->control, im) ||
	    programs_send(s->control, im) || lines_send(s->control, im))
		return -1;
	found = now();
	if (opt.command && child_hold(&s->child, opt.command, s->input.fd >= 0))
		return -1;
	call.target = s->child.pid ? s->child.pid : opt.target;
	if (call_while_reading(s, &call))
		return -1;
	chat(1, "probes are live: addresses found in %.3f s, attached in %.3f s", found - began, now() - found);
	if (s->child.pid && !s->over)
		child_release(&s->child);
	return 0;
}

/* Stops the probes and prints what is left; returns whether the session ended well. */
static int finish(struct session *s)
{
	struct stp_stop_info info = { 0 };
	struct call call = { .info = &info };
	int rc = call_while_reading(s, &call);

	if (reader_drain(s->reader, true))
		rc = -1;
	return rc || info.error ? -1 : 0;
}

static void cleanup(struct session *s)
{
	child_kill(&s->child);
	input_close();
	tables_stop();
	reader_close(s->reader);
	if (s->control >= 0)
		close(s->control);
	output_close();
	if (!s->detach)
		module_unload(s->name);
	watcher_dismiss(s->watcher);
}

int session_run(const char *name, const struct image *im, bool attach, int watcher)
{
	struct session s = { .name = name, .control = -1, .timer = -1, .watcher = watcher, .child.gate = -1, .input.fd = -1 };
	int rc = 1;

	s.signals = open_signals();
	s.control = control_open(name);
	s.detach = attach; /* another loader may be attached to it */
	if (s.control < 0 || !(s.reader = reader_open(s.control)))
		goto out;
	s.detach = false;
	if (!opt.load_only)
		input_open(&s.input, s.control);
	if (tables_start(s.control) || (!attach && start(&s, im))) {
		if (opt.load_only)
			reader_drain(s.reader, true); /* why it failed */
		goto out;
	}
	if (opt.load_only) {
		printf("%s\n", name);
		s.detach = true;
		rc = 0;
		goto out;
	}
	if (!is_over(&s) && background_live())
		goto out;
	s.timer = opt.timeout > 0 ? open_timer(opt.timeout) : -1;
	rc = loop(&s) ? 1 : 0;
	if (finish(&s) || s.child_failed)
		rc = 1;
	if (!rc && background_live()) /* it was over before that could be told */
		rc = 1;
out:
	cleanup(&s);
	return rc;
}
