/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pretty-printing ($x$, $x$$, $$parms ...): a place becomes one sprintf() whose format holds the names and
 * whose arguments are loads.  Big things are cut short: a few array elements, a few dozen members in all.
 */
#include "target.h"

#include <string.h>

#define MAX_ARGS 40        /* values in one text */
#define MAX_ELEMENTS 4     /* of an array */
#define MAX_NESTING 6      /* structs in structs with $$ */

struct pretty {
	struct session *s;
	struct loc loc;
	bool deep;
	GString *text;             /* literal text since the last conversion */
	GArray *pieces;            /* struct fmt_piece */
	GPtrArray *args;           /* struct expr * */
};

static void pretty_init(struct pretty *w, struct session *s, struct loc loc, bool deep)
{
	*w = (struct pretty){ .s = s, .loc = loc, .deep = deep };
	w->text = g_string_new(NULL);
	w->pieces = g_array_new(FALSE, TRUE, sizeof(struct fmt_piece));
	w->args = g_ptr_array_new();
}

static void flush_text(struct pretty *w)
{
	struct fmt_piece piece = { .width = -1, .prec = -1 };

	if (w->text->len == 0)
		return;
	piece.len = w->text->len;
	piece.text = arena_strndup(w->s, w->text->str, w->text->len);
	g_array_append_val(w->pieces, piece);
	g_string_truncate(w->text, 0);
}

static void put_value(struct pretty *w, char conv, unsigned flags, struct expr *value)
{
	struct fmt_piece piece = { .conv = conv, .flags = flags, .width = -1, .prec = -1 };

	flush_text(w);
	g_array_append_val(w->pieces, piece);
	/* the same base may be below several values: each gets nodes of its own */
	g_ptr_array_add(w->args, expr_copy(w->s, value));
}

static struct expr *pretty_finish(struct pretty *w)
{
	struct expr *e = expr_new(w->s, EX_PRINT, w->loc);
	struct print *print = arena_alloc(w->s, sizeof(*print));

	flush_text(w);
	print->kind = PRINT_PRINTF;
	print->to_string = true;
	print->npiece = w->pieces->len;
	print->piece = arena_alloc(w->s, sizeof(struct fmt_piece) * (w->pieces->len + 1));
	if (w->pieces->len)
		memcpy(print->piece, w->pieces->data, sizeof(struct fmt_piece) * w->pieces->len);
	e->print = print;
	e->type = TY_STRING;
	e->args = (struct expr **)arena_take(w->s, w->args, &e->nargs);
	g_array_free(w->pieces, TRUE);
	g_string_free(w->text, TRUE);
	return e;
}

/*
 * The string at `addr`, of n bytes (NULL: up to its end).  A library function reads it that never fails; where
 * names are resolved already it is read as such.
 */
static void put_string(struct pretty *w, const struct place *p, bool user, const char *func, struct expr *addr, struct expr *n)
{
	struct expr *e = expr_new(w->s, p->late ? EX_CSTRING : EX_CALL, w->loc);

	e->type = p->late ? TY_STRING : TY_UNKNOWN;
	if (p->late) {
		e->a = addr;
		e->num = n ? n->num : 0;
		e->load.user = user;
		g_string_append_c(w->text, '"');
		put_value(w, 's', 0, e);
		g_string_append_c(w->text, '"');
		return;
	}
	e->name = func;
	e->nargs = n ? 2 : 1;
	e->args = arena_alloc(w->s, sizeof(*e->args) * e->nargs);
	e->args[0] = addr;
	if (n)
		e->args[1] = n;
	put_value(w, 's', 0, e);
}

/* Text is meant: a char by that name, not one behind a typedef such as u8. */
static bool is_text_char(const struct ctype *t)
{
	while (t->kind == CTYPE_CONST || t->kind == CTYPE_VOLATILE || t->kind == CTYPE_USER)
		t = t->to;
	return t->kind == CTYPE_INT && ctype_is_char(t);
}

static void put_place(struct pretty *w, const struct place *p, int depth);

static void put_members(struct pretty *w, const struct place *p, int depth, bool *first)
{
	size_t n;
	const struct ctype_member *m = ctype_members(ctype_strip(p->type, NULL), &n);

	for (size_t i = 0; i < n; i++) {
		struct place at = *p;

		at.type = m[i].type;
		at.bit_size = m[i].bit_size;
		if (place_in_words(p)) {
			at.bit += m[i].bit_offset;
		} else {
			at.offset += m[i].bit_offset / 8;
			at.bit_offset = m[i].bit_offset % 8;
		}
		if (!*m[i].name && ctype_is_aggregate(m[i].type)) {
			put_members(w, &at, depth, first);
			continue;
		}
		if (!*m[i].name)
			continue;
		if (w->args->len >= MAX_ARGS) {
			g_string_append(w->text, *first ? "..." : ", ...");
			return;
		}
		g_string_append_printf(w->text, "%s.%s=", *first ? "" : ", ", m[i].name);
		*first = false;
		put_place(w, &at, depth + 1);
	}
}

/* The value of a place, or NULL: a part of it may be optimised out, which is no reason not to show the rest. */
static struct expr *value_if_any(struct pretty *w, const struct place *p)
{
	struct diag_capture *cap;
	struct expr *e;

	if (!place_in_words(p) && !p->pointee)
		return place_expr(w->s, p, w->loc, false, false);
	cap = diag_capture_begin(w->s);
	e = place_expr(w->s, p, w->loc, false, false);
	diag_capture_end(w->s, cap, e != NULL);
	return e;
}

/* A string of Go: where its bytes are and how many; shown as text. */
static bool put_go_string(struct pretty *w, const struct place *p)
{
	const struct ctype *t = ctype_strip(p->type, NULL), *to;
	size_t n;
	const struct ctype_member *m = ctype_members(t, &n);
	struct place str = *p, len = *p;
	struct expr *addr, *bytes;

	if (p->late || !p->user || n != 2 || strcmp(t->name, "string") || strcmp(m[0].name, "str") || strcmp(m[1].name, "len") || ctype_size(m[1].type) != 8)
		return false;
	str.type = m[0].type;
	len.type = m[1].type;
	len.bit += m[1].bit_offset;
	len.offset += m[1].bit_offset / 8;
	to = ctype_strip(str.type, NULL);
	addr = to->kind == CTYPE_PTR && ctype_size(to->to) == 1 ? value_if_any(w, &str) : NULL;
	bytes = addr ? value_if_any(w, &len) : NULL;
	if (bytes)
		put_string(w, p, true, "user_string_n_quoted", expr_copy(w->s, addr), expr_copy(w->s, bytes));
	return bytes;
}

static void put_struct(struct pretty *w, const struct place *p, int depth)
{
	bool first = true;

	if (put_go_string(w, p))
		return;
	if ((depth > 0 && !w->deep) || depth > MAX_NESTING) {
		g_string_append(w->text, "{...}");
		return;
	}
	g_string_append_c(w->text, '{');
	put_members(w, p, depth, &first);
	g_string_append_c(w->text, '}');
}

static void put_array(struct pretty *w, const struct place *p, const struct ctype *t, int depth)
{
	uint64_t size = ctype_size(t->to);

	if (!place_in_words(p) && is_text_char(t->to) && t->count) {
		put_string(w, p, p->user, p->user ? "user_string_n_quoted" : "kernel_string_n_quoted",
			   place_address(w->s, p, w->loc), lowered_num(w->s, (int64_t)t->count, w->loc));
		return;
	}
	if (size == 0 || (depth > 0 && !w->deep && ctype_is_aggregate(t->to))) {
		g_string_append(w->text, "[...]");
		return;
	}
	g_string_append_c(w->text, '[');
	for (uint64_t i = 0; i < t->count; i++) {
		struct place at = *p;

		if (i)
			g_string_append(w->text, ", ");
		if (i == MAX_ELEMENTS || w->args->len >= MAX_ARGS) {
			g_string_append(w->text, "...");
			break;
		}
		at.type = t->to;
		at.bit_size = 0;
		if (place_in_words(p))
			at.bit += i * size * 8;
		else
			at.offset += i * size;
		put_place(w, &at, depth + 1);
	}
	g_string_append_c(w->text, ']');
}

static void put_pointer(struct pretty *w, const struct place *p, const struct ctype *t, struct expr *e)
{
	bool user = p->user;

	ctype_strip(t->to, &user);
	if (is_text_char(t->to))
		put_string(w, p, user, user ? "user_string_quoted" : "kernel_or_user_string_quoted", e, NULL);
	else
		put_value(w, 'p', 0, e);
}

static void put_number(struct pretty *w, const struct place *p, const struct ctype *t, struct expr *e)
{
	if (is_text_char(p->type)) {
		g_string_append_c(w->text, '\'');
		put_value(w, 'c', 0, e);
		g_string_append_c(w->text, '\'');
	} else {
		put_value(w, t->is_signed ? 'd' : 'u', 0, e);
	}
}

/* Floating point, by a library function. */
static bool put_float(struct pretty *w, const struct place *p, const struct ctype *t)
{
	struct expr *e = !p->late && (t->size == 4 || t->size == 8) ? value_if_any(w, p) : NULL, *call;

	if (!e)
		return false;
	call = expr_new(w->s, EX_CALL, w->loc);
	call->name = "__fp_brief";
	call->nargs = 1;
	call->args = arena_alloc(w->s, sizeof(*call->args));
	call->args[0] = e;
	put_value(w, 's', 0, call);
	return true;
}

static void put_place(struct pretty *w, const struct place *p, int depth)
{
	const struct ctype *t = ctype_strip(p->type, NULL);
	bool number = (t->kind == CTYPE_INT || t->kind == CTYPE_ENUM) && t->size <= 8 && t->size;
	struct expr *e = number || t->kind == CTYPE_PTR ? value_if_any(w, p) : NULL;

	if (e && number) {
		put_number(w, p, t, e);
	} else if (e) {
		put_pointer(w, p, t, e);
	} else if (t->kind == CTYPE_ARRAY) {
		put_array(w, p, t, depth);
	} else if (ctype_is_aggregate(t)) {
		put_struct(w, p, depth);
	} else if (t->kind != CTYPE_FLOAT || !put_float(w, p, t)) {
		g_string_append(w->text, t->kind == CTYPE_FUNC ? "<function>" : "?");
	}
}

struct expr *pretty_expr(struct session *s, const struct place *p, struct loc loc, bool deep)
{
	const struct ctype *t = ctype_strip(p->type, NULL);
	const struct ctype *to = t->kind == CTYPE_PTR ? ctype_strip(t->to, NULL) : &ctype_void;
	struct pretty w;
	struct expr *e, *ptr;

	pretty_init(&w, s, loc, deep);
	if (!ctype_is_aggregate(to)) {
		put_place(&w, p, 0);
		return pretty_finish(&w);
	}
	/* what a pointer points to is shown, unless it is NULL */
	ptr = place_expr(s, p, loc, false, false);
	if (!ptr) {
		pretty_finish(&w);
		return NULL;
	}
	struct place target = place_memory(t->to, p->module, p->what, ptr);

	target.user |= p->user;
	target.late = p->late;
	put_place(&w, &target, 0);
	e = expr_new(s, EX_COND, loc);
	e->a = expr_copy(s, ptr);
	e->b = pretty_finish(&w);
	e->c = expr_str(s, "0x0", loc);
	e->type = TY_STRING;
	return e;
}

static void put_plain(struct pretty *w, const struct place *p)
{
	const struct ctype *t = ctype_strip(p->type, NULL);
	struct expr *e;

	if (!place_in_words(p) && !p->base)
		g_string_append_c(w->text, '?');
	else if (ctype_is_aggregate(t))
		g_string_append(w->text, "{...}");
	else if ((t->size > 8 && t->kind != CTYPE_ARRAY) || t->kind == CTYPE_FWD || t->kind == CTYPE_VOID ||
		 (t->kind == CTYPE_FLOAT && !t->size))
		g_string_append_c(w->text, '?');
	else if ((e = value_if_any(w, p)) != NULL)
		put_value(w, 'x', FMT_ALT, e);
	else
		g_string_append_c(w->text, '?');
}

struct expr *pretty_list(struct session *s, const struct place *places, const char *const *names, size_t n,
			 struct loc loc, const struct expr *e)
{
	bool pretty = e->ncomps > 0, deep = pretty && e->comps[0].kind == COMP_PRETTY_DEEP;
	struct pretty w;

	if (pretty && (e->ncomps > 1 || (!deep && e->comps[0].kind != COMP_PRETTY))) {
		diag_error(s, e->comps[0].loc, "not-a-struct", "%s is text: it has no members", e->name);
		return NULL;
	}
	pretty_init(&w, s, loc, deep);
	for (size_t i = 0; i < n; i++) {
		const struct place *p = &places[i];

		g_string_append_printf(w.text, "%s%s=", i ? " " : "", names[i]);
		if (!pretty || (!place_in_words(p) && !p->base))
			put_plain(&w, p);
		else
			put_value(&w, 's', 0, pretty_expr(s, p, loc, deep));
	}
	return pretty_finish(&w);
}
