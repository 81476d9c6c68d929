/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A variable of a DWARF scope as a place: from its location at the probe's address, or why there is none. */
#include "target_dwarf.h"
#include "debuginfo/dwarf_index.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void env_open(struct loc_env *env, struct dscope *ds, struct loc loc)
{
	*env = (struct loc_env){
		.s = ds->s, .at = loc, .func = ds->func, .pc = ds->sc->pc, .entry = ds->entry, .user = ds->sc->user,
		.address = dscope_address, .tls = dscope_tls, .data = ds,
		.debug_frame = dwarf_file_debug_frame(ds->sc->file), .eh_frame = dwarf_file_eh_frame(ds->sc->file),
	};
}

/* ---- messages ---- */

struct available {
	struct dscope *ds;
	const char *own;           /* last part of the function's file, or NULL */
	GString *text;
	unsigned n;
};

#define MAX_RANGES 5 /* named in one message */

/* Last part of a path; NULL stays. */
static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* Line and file (last part of its path) of an address; 0: not told. */
static int line_at(struct dscope *ds, uint64_t addr, const char **file)
{
	struct dwarf_index *ix = session_dwarf_index(ds->s, ds->sc->file, NULL);
	struct dwarf_line row;

	if (!ix || !dwarf_index_line_at(ix, addr, &row))
		return 0;
	*file = base_name(dwarf_index_file(ix, row.file_id));
	if (!*file)
		*file = "?";
	return (int)row.line;
}

/* The file of the function or inlined instance that the probe is in (last part of its path), or NULL. */
static const char *own_file(struct dscope *ds)
{
	struct dwarf_index *ix = session_dwarf_index(ds->s, ds->sc->file, NULL);
	GArray *inlined = ix ? dwarf_index_inlined_at(ix, ds->sc->pc) : NULL;
	uint32_t func = ix ? dwarf_index_func_at(ix, ds->sc->pc) : DWARF_NONE;
	struct dwarf_inlined in;
	struct dwarf_func f;

	for (guint i = 0; inlined && i < inlined->len; i++)
		if (dwarf_index_inlined(ix, g_array_index(inlined, uint32_t, i), &in) && in.die_offset == ds->sc->die)
			func = in.func;
	if (inlined)
		g_array_free(inlined, TRUE);
	return ix && dwarf_index_func(ix, func, &f) ? base_name(f.file) : NULL;
}

/* "foo.c:12-15 (0x1040-0x1058)" */
static void add_range(void *data, uint64_t start, uint64_t end)
{
	struct available *a = data;
	const char *file = "?", *other = "?";
	int from, to;

	if (++a->n > MAX_RANGES)
		return;
	from = line_at(a->ds, start, &file);
	to = line_at(a->ds, end - 1, &other);
	/* lines of what was inlined there mislead */
	if (a->own && strcmp(file, a->own) != 0)
		from = 0;
	g_string_append(a->text, a->n > 1 ? ", " : "");
	if (from && to > from && strcmp(file, other) == 0)
		g_string_append_printf(a->text, "%s:%d-%d (", file, from, to);
	else if (from)
		g_string_append_printf(a->text, "%s:%d (", file, from);
	g_string_append_printf(a->text, from ? "0x%" PRIx64 "-0x%" PRIx64 ")" : "0x%" PRIx64 "-0x%" PRIx64, start, end - 1);
}

/* Where the variable can be read, if anywhere. */
static void help_available(struct dscope *ds, Dwarf_Die *var, const char *what, const char *nowhere)
{
	struct available a = { .ds = ds, .own = own_file(ds), .text = g_string_new(NULL) };

	loc_ranges(var, add_range, &a);
	if (a.n > MAX_RANGES)
		g_string_append_printf(a.text, " and %u more", a.n - MAX_RANGES);
	if (a.n)
		diag_help(ds->s, "%s can be read at %s", what, a.text->str);
	else if (nowhere)
		diag_help(ds->s, "%s", nowhere);
	g_string_free(a.text, TRUE);
}

static int fail_optimised(struct dscope *ds, Dwarf_Die *var, const char *what, struct loc loc)
{
	const char *file = "?";
	int line = line_at(ds, ds->sc->pc, &file);

	if (line)
		diag_error(ds->s, loc, "optimised-out", "%s is optimised out at %s:%d (0x%" PRIx64 ")", what, file, line, ds->sc->pc);
	else
		diag_error(ds->s, loc, "optimised-out", "%s is optimised out at 0x%" PRIx64, what, ds->sc->pc);
	help_available(ds, var, what, dwarf_tag(var) == DW_TAG_variable && die_flag(var, DW_AT_external) ?
		       "it is optimised out of the program" : "it is optimised out of all of the function");
	return -1;
}

/* ---- from locations to places ---- */

/* An address as base and constant offset. */
static void set_memory(struct place *p, struct expr *addr)
{
	p->base = addr;
	if (addr->kind == EX_BINARY && addr->op == OP_ADD && addr->b->kind == EX_NUM) {
		p->base = addr->a;
		p->offset = addr->b->num;
	}
}

static struct expr *bytes_word(struct loc_env *env, const struct loc_piece *p, uint64_t at)
{
	uint64_t w = 0;

	if (at < p->nbytes)
		memcpy(&w, p->bytes + at, MIN(8, p->nbytes - at));
	return loc_num(env, (int64_t)w);
}

static const char *why_not(struct loc_env *env, const struct loc_piece *p)
{
	switch (p->kind) {
	case PIECE_NONE: return "that part of it is optimised out here";
	case PIECE_VECTOR: return arena_printf(env->s, "it is in the vector register xmm%u", p->reg);
	case PIECE_POINTER: return "that part of it points to something that is optimised out of memory";
	default: return NULL;
	}
}

/* One piece of a location as pieces of the place: constants are cut into words. */
static void add_piece(struct loc_env *env, GArray *list, const struct loc_piece *p, uint64_t bits)
{
	struct place_piece out = { .bits = bits, .bit = p->bit, .why = why_not(env, p) };

	if (p->kind == PIECE_MEMORY)
		out.base = p->e;
	else if (p->kind == PIECE_REGISTER || p->kind == PIECE_VALUE)
		out.word = p->e;
	if (p->kind == PIECE_BYTES || (out.word && bits > 64)) {
		for (uint64_t at = 0; at < bits; at += 64) {
			struct place_piece w = { .bits = MIN(64, bits - at) };

			if (p->kind == PIECE_BYTES)
				w.word = bytes_word(env, p, at / 8);
			else if (at == 0)
				w.word = p->e;
			else
				w.why = "it is longer than its register";
			g_array_append_val(list, w);
		}
		return;
	}
	g_array_append_val(list, out);
}

/* Registers of vectors are read by their low halves. */
static void read_vectors(struct loc_env *env, const struct location *where)
{
	for (unsigned i = 0; i < where->npieces; i++) {
		if (where->piece[i].kind != PIECE_VECTOR || !env->user || where->piece[i].bits > 64)
			continue;
		where->piece[i].kind = PIECE_VALUE;
		where->piece[i].e = abi_vector(env->s, where->piece[i].reg, env->at);
	}
}

static void set_pieces(struct loc_env *env, const struct location *where, uint64_t bits, struct place *ret)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct place_piece));
	struct place_piece *piece;

	for (unsigned i = 0; i < where->npieces; i++)
		add_piece(env, list, &where->piece[i], where->piece[i].bits ? where->piece[i].bits : bits);
	piece = arena_alloc(env->s, sizeof(*piece) * (list->len + 1));
	memcpy(piece, list->data, sizeof(*piece) * list->len);
	ret->piece = piece;
	ret->npieces = list->len;
	g_array_free(list, TRUE);
}

/* A pointer into a variable that is in no memory. */
static int set_pointer(struct dscope *ds, const struct loc_piece *p, struct loc loc, struct place *ret)
{
	struct place *to = arena_alloc(ds->s, sizeof(*to));
	Dwarf_Die target = p->target;

	if (dscope_place(ds, &target, ret->what, loc, to))
		return -1;
	ret->pointee = to;
	ret->pointee_offset = p->offset;
	return 0;
}

static int set_location(struct dscope *ds, struct loc_env *env, const struct location *where, struct place *ret)
{
	uint64_t bits = ctype_size(ret->type) * 8;
	const struct loc_piece *p = &where->piece[0];

	read_vectors(env, where);
	if (where->npieces > 1 || p->bits || bits > 64) {
		if (where->npieces == 1 && p->kind == PIECE_MEMORY && (!p->bits || p->bits >= bits) && !p->bit) {
			set_memory(ret, p->e);
			return 0;
		}
		set_pieces(env, where, MAX(bits, 64), ret);
		return 0;
	}
	switch (p->kind) {
	case PIECE_MEMORY:
		set_memory(ret, p->e);
		return 0;
	case PIECE_REGISTER:
	case PIECE_VALUE:
	case PIECE_BYTES:
		ret->word[0] = p->kind == PIECE_BYTES ? bytes_word(env, p, 0) : p->e;
		ret->nwords = 1;
		return 0;
	case PIECE_POINTER:
		return set_pointer(ds, p, env->at, ret);
	default:
		return diag_error(ds->s, env->at, "no-location", "%s cannot be read: %s", ret->what, why_not(env, p));
	}
}

/*
 * A variable that is only declared, and defined in assembly or by the linker (jiffies): its symbol tells where it is.  1: found;
 * -1 after diag_error.
 */
static int place_by_symbol(struct dscope *ds, struct loc_env *env, Dwarf_Die *var, struct place *ret)
{
	struct dwarf_index *ix = session_dwarf_index(ds->s, ds->sc->file, NULL);
	uint64_t addr;
	struct expr *e;

	if (!die_flag(var, DW_AT_declaration) || !ix || !dscope_symbol(ix, die_name(var), &addr))
		return 0;
	e = dscope_address(env, addr);
	if (!e)
		return diag_error(ds->s, env->at, "no-location", "%s cannot be read: %s", ret->what, env->why);
	set_memory(ret, e);
	return 1;
}

int dscope_place(struct dscope *ds, Dwarf_Die *var, const char *what, struct loc loc, struct place *ret)
{
	struct loc_env env;
	struct location where;
	int rc;

	*ret = (struct place){ .type = dwarf_type_of(ds->types, var), .module = ds->module, .what = what, .user = ds->sc->user };
	rc = dscope_slot(ds, var, loc, ret);
	if (rc)
		return rc < 0 ? -1 : 0;
	env_open(&env, ds, loc);
	if (loc_find(&env, var, &where)) {
		diag_error(ds->s, loc, "no-location", "%s cannot be read: %s", what, env.why);
		help_available(ds, var, what, NULL);
		return -1;
	}
	if (where.npieces == 0 && (rc = place_by_symbol(ds, &env, var, ret)) != 0)
		return rc < 0 ? -1 : 0;
	if (where.npieces == 0)
		return fail_optimised(ds, var, what, loc);
	if (!dscope_go_pieces(ds, ret->type, &where))
		return diag_error(ds->s, loc, "no-location", "%s cannot be read: its places are not those of its members", what);
	rc = set_location(ds, &env, &where, ret);
	if (!rc && ret->base && ds->sc->user)
		ret->offset += dscope_go_param_shift(ds, var);
	return rc;
}
