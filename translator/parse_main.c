/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 1: which texts make up the user's script, and what preprocessor conditions are told. */
#include "kernel.h"
#include "library.h"
#include "macro.h"
#include "parse.h"
#include <string.h>

static const char *config_of(void *data, const char *name)
{
	return data ? kernel_config(data, name) : NULL;
}

/* Without a kernel (a script is only to be printed, say) the running one is assumed. */
static void set_env(struct session *s)
{
	struct pp_env env = *pp_get_env(s);

	if (s->kernel) {
		env.kernel_vr = s->kernel->release;
		env.arch = s->kernel->arch;
	}
	env.config = config_of;
	env.data = s->kernel;
	env.macro_path = library_macro_path;
	env.macro_names = library_macro_names;
	pp_set_env(s, &env);
}

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

/* -l PATTERN: a probe at these points with nothing in it */
static int add_pattern(struct session *s)
{
	return add_text(s, arena_printf(s, "probe %s {}", s->opt.list_pattern));
}

int pass1_parse(struct session *s)
{
	int ret = 0;

	s->pass = 1;
	set_env(s);
	if (s->opt.list_pattern)
		ret |= add_pattern(s);
	else if (s->opt.script_file)
		ret |= add_script(s, source_read(s, s->opt.script_file));
	for (unsigned i = 0; i < s->opt.script_text->len; i++)
		ret |= add_text(s, s->opt.script_text->pdata[i]);
	if (ret == 0)
		args_warn_unused(s);
	return ret ? -1 : 0;
}
