/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watchpoints on a program's variables: process(...).data("SYMBOL") and process(...).data(ADDRESS), with .length(N) and .absolute, and
 * .write or .rw behind it.  The processor's debug registers do it, for the program's own tasks alone.  $address, $value, $$name.
 */
#include <inttypes.h>
#include <string.h>
#include <gelf.h>

#include "probe_process.h"
#include "target.h"

enum { UDATA_PROGRAM, UDATA_ABSOLUTE, UDATA_LIBRARY }; /* struct stp_probe.arg2; runtime/module/udata.h */
enum { DATA_WRITE = 2, DATA_RW = 3 }; /* struct stp_probe.sub: HW_BREAKPOINT_W, _RW */

struct watch {
	int64_t length;            /* 0: not said */
	unsigned access;
	bool absolute;             /* an address of the running process */
	uint64_t addr;
	const char *name;
};

static int read_length(struct user_point *up, size_t i, struct watch *w)
{
	if (point_number(up->s, up->p, i, &w->length))
		return -1;
	if (w->length != 1 && w->length != 2 && w->length != 4 && w->length != 8)
		return diag_error(up->s, up->p->comps[i].loc, "point-argument", "a watchpoint is 1, 2, 4 or 8 bytes long, not %" PRId64, w->length);
	return 0;
}

static int read_words(struct user_point *up, struct watch *w)
{
	static const char *const known[] = { "write", "rw", "length", "absolute", NULL };
	const struct point *p = up->p;

	for (size_t i = up->at + 1; i < p->ncomps; i++) {
		if (point_has(p, i, "length") && !w->length) {
			if (read_length(up, i, w))
				return -1;
			continue;
		}
		if (point_no_arg(up->s, p, i))
			return -1;
		if ((point_has(p, i, "write") || point_has(p, i, "rw")) && !w->access)
			w->access = point_has(p, i, "rw") ? DATA_RW : DATA_WRITE;
		else if (point_has(p, i, "absolute"))
			w->absolute = true;
		else
			return point_unknown(up->s, p, i, known);
	}
	if (!w->access)
		return diag_error(up->s, p->loc, "unknown-probe-point", "process.data needs .write or .rw behind it: the processor can not watch "
				  "reading alone");
	return 0;
}

static int error_unknown(struct user_point *up, const struct user_object *o, const char *name)
{
	GPtrArray *names = user_elf_objects(up->s, o->elf);
	const char *near;

	if (!names->len) {
		diag_error(up->s, up->p->comps[up->at].loc, "no-symbols", "no variable '%s' in %s: it has no symbols of variables", name, o->elf->path);
		diag_help(up->s, "its debug symbols would tell where variables are; data(ADDRESS) works without");
	} else {
		diag_error(up->s, up->p->comps[up->at].loc, "unknown-variable", "no variable '%s' in %s", name, o->elf->path);
		near = diag_nearest(name, names);
		if (near && strcmp(near, name))
			diag_help(up->s, "did you mean '%s'?", near);
	}
	g_ptr_array_free(names, TRUE);
	return -1;
}

/* By name: all of a small variable, the first word of a larger one. */
static int find_variable(struct user_point *up, const struct user_object *o, const char *name, struct watch *w)
{
	uint64_t size;

	if (w->absolute)
		return diag_error(up->s, up->p->loc, "point-argument", ".absolute goes with data(ADDRESS): a variable's name tells its place in the program");
	if (!user_elf_object(o->elf, name, &w->addr, &size))
		return error_unknown(up, o, name);
	w->name = name;
	if (!w->length)
		for (w->length = 8; w->length > 1 && ((size && w->length > (int64_t)size) || w->addr & (uint64_t)(w->length - 1));)
			w->length /= 2;
	return 0;
}

static int read_place(struct user_point *up, const struct user_object *o, struct watch *w)
{
	const struct point_comp *c = &up->p->comps[up->at];

	if (!c->arg || (c->arg->kind == EX_STR && !*c->arg->str))
		return diag_error(up->s, c->loc, "point-argument", "'data' needs an address or the name of a variable: data(ADDRESS), "
				  "data(\"VARIABLE\")");
	if (c->arg->kind == EX_STR)
		return find_variable(up, o, c->arg->str, w);
	w->addr = (uint64_t)c->arg->num;
	w->name = arena_printf(up->s, "0x%" PRIx64, w->addr);
	if (!w->length)
		for (w->length = 4; w->addr & (uint64_t)(w->length - 1);)
			w->length /= 2;
	return 0;
}

static int check_place(struct user_point *up, const struct user_object *o, const struct watch *w)
{
	if (w->addr & (uint64_t)(w->length - 1))
		return diag_error(up->s, up->p->comps[up->at].loc, "point-argument", "%" PRId64 " bytes can be watched only at an address that is a "
				  "multiple of %" PRId64 ", and that of %s, 0x%" PRIx64 ", is none", w->length, w->length, w->name, w->addr);
	if (w->absolute ? w->addr >= 1ull << 47 : !user_elf_loaded(o->elf, w->addr, (uint64_t)w->length))
		return diag_error(up->s, up->p->comps[up->at].loc, "bad-address", w->absolute ? "address 0x%" PRIx64 " is not one of a program%s" :
				  "address 0x%" PRIx64 " is not in %s", w->addr, w->absolute ? "" : o->elf->path);
	return 0;
}

static bool is_library(const struct user_object *o)
{
	return (o->program && o->program != o->elf) || o->elf->is_library;
}

static uint64_t code_offset(const struct user_elf *ue)
{
	uint64_t ret = 0;

	user_elf_offset(ue, user_elf_code(ue), true, &ret);
	return ret;
}

/* Addresses go to the runtime as distances from where the kernel puts the program's code (mm_struct.start_code), of a library from where its
 * file's first byte would be. */
static struct probe *make_probe(struct user_point *up, const struct user_object *o, const struct watch *w)
{
	struct session *s = up->s;
	struct probe *p = user_probe_new(up, o, ATTACH_UDATA, arena_printf(s, ".data(%s).length(%" PRId64 ")%s.%s",
					 up->p->comps[up->at].arg->kind == EX_STR ? quote_text(s, w->name) : w->name, w->length,
					 w->absolute ? ".absolute" : "", w->access == DATA_RW ? "rw" : "write"));
	struct user_context *ctx = p->priv;
	struct user_group *g = arena_alloc(s, sizeof(*g));

	ctx->name = w->name;
	ctx->data = true;
	p->sub = w->access;
	p->arg = w->length;
	p->arg2 = w->absolute ? UDATA_ABSOLUTE : is_library(o) ? UDATA_LIBRARY : UDATA_PROGRAM;
	g->file = user_file_get(s, o->elf);
	g->program = o->program && o->program != o->elf ? user_file_get(s, o->program) : NULL;
	g->pid = o->pid;
	g->nsites = 1;
	g->sites = arena_alloc(s, sizeof(*g->sites));
	g->sites[0] = (struct user_site){ .offset = w->absolute ? w->addr : w->addr - user_elf_code(o->elf) + (is_library(o) ? code_offset(o->elf) : 0), .name = w->name,
		.optional = up->p->optional };
	p->user = g;
	p->nuser = 1;
	return p;
}

int user_derive_data(struct user_point *up, const struct user_object *o)
{
	struct watch w = { 0 };

	if (o->elf->is_32bit)
		return diag_error(up->s, up->p->loc, "32-bit", "variables of a 32-bit program cannot be watched");
	if (read_words(up, &w) || read_place(up, o, &w) || check_place(up, o, &w))
		return -1;
	g_ptr_array_add(up->out, make_probe(up, o, &w));
	return 1;
}

/* ---- context variables ---- */

struct expr *user_data_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	static const char *const names[] = { "$address", "$value", "$$name" };
	struct user_context *ctx = p->priv;
	struct expr *addr = lowered_arg(s, 0, e->loc);
	GPtrArray *list;

	if (lvalue) {
		diag_error(s, e->loc, "not-writable", "'%s' of a watchpoint cannot be written", e->name);
		return NULL;
	}
	if (e->kind == EX_TARGET && !strcmp(e->name, "$$name"))
		return expr_str(s, ctx->name, e->loc);
	if (e->kind == EX_TARGET && !e->ncomps && !strcmp(e->name, "$address"))
		return addr;
	if (e->kind == EX_TARGET && !e->ncomps && !strcmp(e->name, "$value"))
		return lowered_load(s, addr, (unsigned)p->arg, true, true, e->loc);
	list = g_ptr_array_new();
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		g_ptr_array_add(list, (char *)names[i]);
	target_unknown(s, e, "a watchpoint has no variable", list);
	g_ptr_array_free(list, TRUE);
	return NULL;
}

void user_data_vars(GString *out)
{
	g_string_append(out, " $address:long $value:long $$name:string");
}
