/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The standard input, for scripts with probes on it (STP_IOC_INPUT).  A terminal gives single characters, without
 * showing them, to scripts that want characters, for as long as we are in the foreground.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "staprun.h"

static struct termios saved;   /* the terminal's mode before */
static bool changed;

static int send_text(int control, const char *text, size_t len, bool end)
{
	struct stp_input in = { .text = (uintptr_t)text, .len = len, .end = end };

	return ioctl(control, STP_IOC_INPUT, &in);
}

void input_open(struct input *in, int control)
{
	int wants = send_text(control, NULL, 0, false);

	*in = (struct input){ .fd = -1, .control = control };
	if (wants <= 0)
		return;
	in->fd = 0;
	in->terminal = isatty(0);
	in->chars = wants & STP_INPUT_WANTS_CHARS;
	if (in->terminal) { /* a background process is stopped when it reads, or sets the terminal's mode */
		signal(SIGTTIN, SIG_IGN);
		signal(SIGTTOU, SIG_IGN);
	}
}

/* Key by key. */
static void change_terminal(const struct input *in)
{
	struct termios mode;

	if (changed || !in->chars || tcgetattr(in->fd, &saved))
		return;
	mode = saved;
	mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	mode.c_cc[VMIN] = 1;
	mode.c_cc[VTIME] = 0;
	changed = !tcsetattr(in->fd, TCSANOW, &mode);
}

int input_poll_fd(struct input *in)
{
	if (in->fd < 0 || (in->terminal && tcgetpgrp(in->fd) != getpgrp()))
		return -1; /* poll() ignores that */
	if (in->terminal)
		change_terminal(in);
	return in->fd;
}

void input_take(struct input *in)
{
	char text[STP_INPUT_MAX];
	ssize_t n = read(in->fd, text, sizeof(text));

	if (n < 0 && (errno == EINTR || errno == EAGAIN || (errno == EIO && in->terminal)))
		return;
	send_text(in->control, text, n > 0 ? n : 0, n <= 0);
	if (n <= 0)
		in->fd = -1;
}

void input_close(void)
{
	if (changed)
		tcsetattr(0, TCSANOW, &saved);
	changed = false;
}
