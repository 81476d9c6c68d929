/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 1: which texts make up the user's script. */
#include "macro.h"
#include "parse.h"
#include <string.h>

static bool file_is_empty(const struct file *f)
{
	return !f->probes->len && !f->aliases->len && !f->globals->len && !f->funcs->len && !f->embeds->len;
}

static int add_script(struct session *s, struct source *src)
{
	struct file *f = src ? parse_source(s, src, false, s->opt.guru) : NULL;

	if (!f)
		return -1;
	if (file_is_empty(f))
		return diag_error(s, (struct loc){ .src = src }, "empty-script", "the script '%s' is empty", src->name);
	g_ptr_array_add(s->files, f);
	return 0;
}

static int add_text(struct session *s, const char *text)
{
	return add_script(s, source_text(s, "<input>", text, strlen(text)));
}

int pass1_parse(struct session *s)
{
	int ret = 0;

	s->pass = 1;
	if (s->opt.script_file)
		ret |= add_script(s, source_read(s, s->opt.script_file));
	for (unsigned i = 0; i < s->opt.script_text->len; i++)
		ret |= add_text(s, s->opt.script_text->pdata[i]);
	if (ret == 0 && s->opt.last_pass == 1) /* else pass 2 does, which knows whether argv[] is used */
		args_warn_unused(s);
	return ret ? -1 : 0;
}
