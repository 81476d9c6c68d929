/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making and freeing a session: the arena, the diagnostics state and the empty containers. */
#include "session.h"
#include "arena.h"
#include "diag_state.h"
#include <stdlib.h>

struct session *session_new(void)
{
	struct session *s = g_new0(struct session, 1);

	s->arena = arena_new();
	s->diag = diag_state_new();
	s->pass = 1;
	s->opt.script_text = g_ptr_array_new();
	s->opt.args = g_ptr_array_new();
	s->opt.include_dirs = g_ptr_array_new();
	s->opt.defines = g_ptr_array_new();
	s->opt.globals = g_ptr_array_new();
	s->opt.last_pass = 5;
	s->opt.color = -1;
	s->files = g_ptr_array_new();
	s->probes = g_ptr_array_new();
	s->globals = g_ptr_array_new();
	s->funcs = g_ptr_array_new();
	s->embeds = g_ptr_array_new();
	return s;
}

void session_free(struct session *s)
{
	GPtrArray *lists[] = {
		s->opt.script_text, s->opt.args, s->opt.include_dirs, s->opt.defines, s->opt.globals,
		s->files, s->probes, s->globals, s->funcs, s->embeds, s->addresses,
	};

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		if (lists[i])
			g_ptr_array_free(lists[i], TRUE);
	if (s->user_elf_close)
		s->user_elf_close(s);
	if (s->user_files)
		g_ptr_array_free(s->user_files, TRUE);
	diag_state_free(s->diag);
	arena_free(s->arena);
	g_free(s);
}
