/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in user programs, and the section that tells the loader of them (user_site.h; format in runtime/abi/stp.h). */
#include <string.h>

#include "define.h"
#include "probe_util.h"
#include "user_elf.h"
#include "user_site.h"

struct user_file *user_file_get(struct session *s, const struct user_elf *ue)
{
	struct user_file *f;

	if (!s->user_files)
		s->user_files = g_ptr_array_new();
	for (guint i = 0; i < s->user_files->len; i++) {
		f = s->user_files->pdata[i];
		if (!strcmp(f->path, ue->path))
			return f;
	}
	f = arena_alloc(s, sizeof(*f));
	f->index = s->user_files->len;
	f->path = ue->path;
	f->build_id = ue->build_id;
	g_ptr_array_add(s->user_files, f);
	return f;
}

const char *user_object_text(struct session *s, const struct user_object *o)
{
	const struct user_elf *program = o->program ? o->program : o->elf;
	const char *head;

	if (o->pid)
		head = arena_printf(s, "process(%d)", o->pid);
	else
		head = program ? arena_printf(s, "process(%s)", quote_text(s, program->path)) : "process";
	return o->program && o->program != o->elf ? arena_printf(s, "%s.library(%s)", head, quote_text(s, o->elf->path)) : head;
}

int user_probe_places(struct session *s, struct probe *p, const struct user_object *o, const struct user_place *places, size_t n,
		      bool optional)
{
	struct user_group *more = arena_alloc(s, sizeof(*more) * (p->nuser + 1)), *g = &more[p->nuser];

	if (p->nuser)
		memcpy(more, p->user, sizeof(*more) * p->nuser);
	g->file = o->elf ? user_file_get(s, o->elf) : NULL;
	g->program = o->program && o->program != o->elf ? user_file_get(s, o->program) : NULL;
	g->pid = o->pid;
	g->nsites = n;
	g->sites = arena_alloc(s, sizeof(*g->sites) * n + 1);
	for (size_t i = 0; i < n; i++) {
		g->sites[i] = (struct user_site){ .name = places[i].name, .optional = optional };
		if (!user_elf_offset(o->elf, places[i].addr, true, &g->sites[i].offset))
			return diag_error(s, p->loc, "bad-address", "address 0x%llx is not in the code of %s",
					  (unsigned long long)places[i].addr, o->elf->path);
		if (places[i].semaphore && !user_elf_offset(o->elf, places[i].semaphore, false, &g->sites[i].semaphore))
			return diag_error(s, p->loc, "bad-address", "the counter of %s at 0x%llx is not in the data of %s",
					  places[i].name, (unsigned long long)places[i].semaphore, o->elf->path);
		if (places[i].delta)
			g->sites[i].semaphore = places[i].delta;
	}
	p->user = more;
	p->nuser++;
	return 0;
}

/* ---- the section ---- */

/* Bytes that would end a word of the section, or the string in the assembler's text, as %XX. */
static void put_word(GString *out, const char *text)
{
	if (!text || !*text) {
		g_string_append_c(out, '-');
		return;
	}
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '%' || *p == '"' || *p == '\\' || (p == (const unsigned char *)text && *p == '-'))
			g_string_append_printf(out, "%%%02X", *p);
		else
			g_string_append_c(out, *p);
}

static void line_begin(GString *out)
{
	g_string_append(out, "\t\".ascii \\\"");
}

static void line_end(GString *out)
{
	g_string_append(out, "\\\\n\\\"\\n\"\n");
}

static void put_group(GString *out, unsigned probe, const struct user_group *g)
{
	line_begin(out);
	g_string_append_printf(out, "S %x ", probe);
	g_string_append_printf(out, g->file ? "%x " : "- ", g->file ? g->file->index : 0);
	g_string_append_printf(out, g->pid ? "%x " : "- ", g->pid);
	g_string_append_printf(out, g->program ? "%x" : "-", g->program ? g->program->index : 0);
	line_end(out);
	for (size_t i = 0; i < g->nsites; i++) {
		const struct user_site *site = &g->sites[i];

		line_begin(out);
		g_string_append_printf(out, "U %llx %llx %d ", (unsigned long long)site->offset,
				       (unsigned long long)site->semaphore, site->optional);
		put_word(out, site->name);
		line_end(out);
	}
}

void user_sites_emit(struct session *s, GString *out)
{
	bool any = s->user_files && s->user_files->len, check = !define_is_given(s, "STP_NO_BUILDID_CHECK");

	for (guint i = 0; i < s->probes->len; i++)
		any |= ((struct probe *)s->probes->pdata[i])->nuser > 0;
	if (!any)
		return;
	g_string_append(out, "asm(\".pushsection .stap_programs, \\\"\\\", @progbits\\n\"\n");
	for (guint i = 0; s->user_files && i < s->user_files->len; i++) {
		const struct user_file *f = s->user_files->pdata[i];

		line_begin(out);
		g_string_append(out, "F ");
		put_word(out, check ? f->build_id : NULL);
		g_string_append_c(out, ' ');
		put_word(out, f->path);
		line_end(out);
	}
	for (guint i = 0; i < s->probes->len; i++) {
		const struct probe *p = s->probes->pdata[i];

		for (size_t k = 0; k < p->nuser; k++)
			put_group(out, i, &p->user[k]);
	}
	g_string_append(out, "\t\".popsection\\n\");\n\n");
}
