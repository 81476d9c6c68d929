/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cold unit */
/*
 * stdin.char and stdin.line probes: what the loader reads from its standard input comes down as a command, and is
 * handed to the probes in the loader's process, byte by byte and line by line.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "hook.h"
#include "extras.h"

STP_NEEDS_EXTRAS;

/* What $char or $line stands for: c->args points to it. */
struct input_text {
	const char *p;
	size_t len;
};

static char *line;                      /* the line so far, of MAXSTRINGLEN - 1 bytes at most: the rest is cut */
static size_t line_len;

struct stp_str stp_input_text(struct stp_ctx *c);
struct stp_str stp_input_text(struct stp_ctx *c)
{
	const struct input_text *t = (const struct input_text *)(uintptr_t)c->args;

	return (struct stp_str){ t->p, t->len };
}

static void run_probes(u32 sub, const char *p, size_t len)
{
	const struct input_text t = { p, len };
	struct stp_probe_state *ps;

	stp_for_each_probe(ps, STP_INPUT)
		if (ps->p->sub == sub)
			stp_hit(ps->p, NULL, (const u64 *)&t, 0);
}

static void end_line(void)
{
	run_probes(STP_INPUT_LINE, line, line_len);
	line_len = 0;
}

static void take_byte(const char *p)
{
	run_probes(STP_INPUT_CHAR, p, 1);
	if (*p == '\n')
		end_line();
	else if (line_len < stp_script.config->maxstringlen - 1)
		line[line_len++] = *p;
}

/* Which kinds there are: STP_INPUT_WANTS_*. */
static long wanted(void)
{
	struct stp_probe_state *ps;
	long wants = 0;

	stp_for_each_probe(ps, STP_INPUT)
		wants |= ps->p->sub == STP_INPUT_CHAR ? STP_INPUT_WANTS_CHARS : STP_INPUT_WANTS_LINES;
	return wants;
}

static long input_command(unsigned int cmd, void __user *arg)
{
	struct stp_input a;
	char *text;
	u32 i;

	if (cmd != STP_IOC_INPUT)
		return -ENOTTY;
	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (a.len > STP_INPUT_MAX)
		return -EINVAL;
	if (!line || stp_session.state != STP_RUNNING)
		return wanted();
	text = memdup_user((void __user *)(uintptr_t)a.text, a.len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	for (i = 0; i < a.len && !READ_ONCE(stp_session.ending); i++)
		take_byte(text + i);
	kfree(text);
	if (a.end && line_len)
		end_line();
	return wanted();
}

static int input_attach(void)
{
	line_len = 0;
	line = kvmalloc(stp_script.config->maxstringlen, GFP_KERNEL);
	return line ? 0 : -ENOMEM;
}

/* The loader's commands have the session's lock, and so has this. */
static void input_detach(void)
{
	kvfree(line);
	line = NULL;
}

const struct stp_hook stp_hook_input = { input_attach, input_detach, .command = input_command };
