/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The print family, and printf formats taken apart while the place of every conversion is known. */
#include "parse_priv.h"
#include <string.h>

#define MAX_WIDTH 100000

static const struct { const char *name; enum print_kind kind; bool to_string; } prints[] = {
	{ "print", PRINT_PRINT, false }, { "println", PRINT_PRINTLN, false }, { "printd", PRINT_PRINTD, false },
	{ "printdln", PRINT_PRINTDLN, false }, { "printf", PRINT_PRINTF, false },
	{ "sprint", PRINT_PRINT, true }, { "sprintln", PRINT_PRINTLN, true }, { "sprintd", PRINT_PRINTD, true },
	{ "sprintdln", PRINT_PRINTDLN, true }, { "sprintf", PRINT_PRINTF, true },
};

bool is_print_name(const struct token *t)
{
	if (t->len < 5 || (t->text[0] != 'p' && t->text[0] != 's'))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(prints); i++)
		if (token_is(t, prints[i].name))
			return true;
	return false;
}

/* A format being read.  The tokens of the literal are kept for carets: `toks` are adjacent strings. */
struct format {
	struct parser *p;
	GArray *toks;            /* struct token */
	const char *str;
	size_t len, pos;
	GArray *pieces;          /* struct fmt_piece */
	GString *literal;        /* text since the last conversion */
	size_t literal_offset;
};

static struct loc format_loc(struct format *f, size_t offset, size_t len)
{
	struct loc loc = { 0 };

	for (unsigned i = 0; i < f->toks->len; i++) {
		const struct token *t = &g_array_index(f->toks, struct token, i);
		const char *why = NULL;
		size_t n = 0;

		literal_string(f->p->s, t, &n, &why);
		loc = literal_loc(t, MIN(offset, n));
		if (offset < n)
			break;
		offset -= n;
	}
	if (!f->toks->len || !g_array_index(f->toks, struct token, 0).from_arg)
		loc.len = len;
	return loc;
}

static void flush_literal(struct format *f)
{
	struct fmt_piece piece = { .width = -1, .prec = -1, .offset = f->literal_offset };

	if (!f->literal->len)
		return;
	piece.len = f->literal->len;
	piece.text = arena_strndup(f->p->s, f->literal->str, piece.len);
	g_array_append_val(f->pieces, piece);
	g_string_truncate(f->literal, 0);
}

static int format_error(struct format *f, size_t from, const char *tag, const char *what)
{
	size_t len = MAX(MIN(f->pos, f->len) - from, 1);

	return parser_error_at(f->p, format_loc(f, from, len), tag, "%s '%.*s' in the format string", what,
			       (int)MIN(len, 40), f->str + from);
}

/* A number or `*`; -2 when out of range. */
static int read_width(struct format *f, bool *is_arg)
{
	int n = -1;

	if (f->pos < f->len && f->str[f->pos] == '*') {
		*is_arg = true;
		f->pos++;
		return -1;
	}
	for (; f->pos < f->len && g_ascii_isdigit(f->str[f->pos]); f->pos++) {
		n = MAX(n, 0) * 10 + (f->str[f->pos] - '0');
		if (n > MAX_WIDTH)
			return -2;
	}
	return n;
}

static unsigned read_flags(struct format *f)
{
	static const char chars[] = "-+ #0";
	unsigned flags = 0;
	const char *hit;

	while (f->pos < f->len && (hit = strchr(chars, f->str[f->pos])) && *hit) {
		flags |= 1u << (hit - chars);
		f->pos++;
	}
	return flags;
}

static int bad_conversion(struct format *f, size_t from)
{
	char c = f->pos < f->len ? f->str[f->pos] : 0;

	f->pos += c != 0;
	format_error(f, from, "bad-conversion", c ? "unknown conversion" : "unfinished conversion");
	if (c && strchr("eEfFgGaA", c))
		parser_help(f->p, "there are no floating point numbers; %%d prints an integer");
	else if (c && strchr("hjzqtL", c))
		parser_help(f->p, "every number has 64 bits: no length is needed before the conversion letter");
	else
		parser_help(f->p, "there are %%d %%i %%u %%x %%X %%o %%s %%c %%p %%b %%m %%M, and %%%% for a percent sign");
	return -1;
}

static int read_conversion(struct format *f)
{
	struct fmt_piece piece = { .width = -1, .prec = -1, .offset = f->pos };
	size_t from = f->pos++;

	piece.flags = read_flags(f);
	piece.width = read_width(f, &piece.width_arg);
	if (piece.width >= -1 && f->pos < f->len && f->str[f->pos] == '.') {
		f->pos++;
		piece.prec = read_width(f, &piece.prec_arg);
		if (piece.prec == -1 && !piece.prec_arg)
			piece.prec = 0;
	}
	if (piece.width < -1 || piece.prec < -1)
		return format_error(f, from, "bad-conversion", "the width or precision is too large in");
	while (f->pos < f->len && f->str[f->pos] == 'l')
		f->pos++;
	if (f->pos >= f->len || !strchr("diuxXospcbmM", f->str[f->pos]))
		return bad_conversion(f, from);
	piece.conv = f->str[f->pos++];
	if (piece.conv == 'i')
		piece.conv = 'd';
	g_array_append_val(f->pieces, piece);
	return 0;
}

static int read_format(struct format *f)
{
	int ret = 0;

	while (f->pos < f->len) {
		if (f->str[f->pos] != '%' || (f->pos + 1 < f->len && f->str[f->pos + 1] == '%')) {
			if (!f->literal->len)
				f->literal_offset = f->pos;
			f->pos += f->str[f->pos] == '%';
			g_string_append_c(f->literal, f->str[f->pos++]);
			continue;
		}
		flush_literal(f);
		if (read_conversion(f))
			ret = -1;
	}
	flush_literal(f);
	return ret;
}

/* The string at cur; the tokens it is made of are kept for format_loc. */
static struct expr *read_format_string(struct parser *p, GArray *toks)
{
	struct expr *e = expr_new(p->s, EX_STR, p->cur.loc);
	GString *joined;

	if (p->cur.kind != T_STR) {
		parser_expected(p, "a format as a literal string");
		if (p->cur.kind != T_RPAREN)
			parser_help(p, "printf(\"%%s\", TEXT) and printf(\"%%d\", NUMBER) print values; so does print()");
		return NULL;
	}
	joined = g_string_new(NULL);
	for (; p->cur.kind == T_STR; parser_next(p)) {
		const char *why = NULL;
		size_t len;
		char *str = literal_string(p->s, &p->cur, &len, &why);

		if (!str) {
			parser_error(p, &p->cur, "bad-escape", "%s", why);
			g_string_free(joined, TRUE);
			return NULL;
		}
		g_array_append_val(toks, p->cur);
		g_string_append_len(joined, str, len);
	}
	e->str = arena_strndup(p->s, joined->str, joined->len);
	e->len = joined->len;
	g_string_free(joined, TRUE);
	return e;
}

static size_t count_args(const struct fmt_piece *piece)
{
	return piece->conv ? 1u + piece->width_arg + piece->prec_arg : 0;
}

/* Are there as many arguments as conversions ask for? */
static int check_args(struct format *f, struct expr *e)
{
	size_t want = 0;

	for (unsigned i = 0; i < f->pieces->len; i++) {
		const struct fmt_piece *piece = &g_array_index(f->pieces, struct fmt_piece, i);

		want += count_args(piece);
		if (want <= e->nargs)
			continue;
		f->pos = i + 1 < f->pieces->len ? g_array_index(f->pieces, struct fmt_piece, i + 1).offset : f->len;
		return format_error(f, piece->offset, "few-arguments", "there is no argument for the conversion");
	}
	if (want < e->nargs) {
		parser_error_at(f->p, e->args[want]->range, "many-arguments",
				"the format takes %zu argument%s, but there are %zu", want, want == 1 ? "" : "s", e->nargs);
		return -1;
	}
	return 0;
}

static int parse_format_args(struct parser *p, struct expr *e)
{
	struct format f = { .p = p };
	struct expr *str;
	int ret = -1;

	f.toks = g_array_new(FALSE, FALSE, sizeof(struct token));
	f.pieces = g_array_new(FALSE, FALSE, sizeof(struct fmt_piece));
	f.literal = g_string_new(NULL);
	str = read_format_string(p, f.toks);
	if (str) {
		f.str = e->str = str->str;
		f.len = e->len = str->len;
		ret = read_format(&f);
		if (parser_accept(p, T_COMMA)) {
			if (parse_args(p, e))
				ret = -1;
		} else if (parser_expect(p, T_RPAREN, "',' or ')'")) {
			ret = -1;
		}
		if (ret == 0)
			ret = check_args(&f, e);
	}
	if (ret == 0 && f.pieces->len) {
		e->print->npiece = f.pieces->len;
		e->print->piece = arena_alloc(p->s, f.pieces->len * sizeof(struct fmt_piece));
		memcpy(e->print->piece, f.pieces->data, f.pieces->len * sizeof(struct fmt_piece));
	}
	g_array_free(f.toks, TRUE);
	g_array_free(f.pieces, TRUE);
	g_string_free(f.literal, TRUE);
	return ret;
}

static int parse_delim(struct parser *p, struct expr *e)
{
	struct expr *str;

	if (p->cur.kind != T_STR)
		return parser_expected(p, "a delimiter as a literal string");
	if (!(str = parse_string(p)))
		return -1;
	e->print->delim = str->str;
	e->print->delim_len = str->len;
	return parser_expect(p, T_COMMA, "',' and what is to be printed");
}

/* A histogram is many lines, and printed by itself. */
static int check_hist_alone(struct parser *p, const struct expr *e)
{
	for (size_t i = 0; e->nargs > 1 && i < e->nargs; i++)
		if (e->args[i]->kind == EX_HIST)
			return parser_error_at(p, e->args[i]->range, "misplaced-histogram",
					       "a histogram is printed alone: give it a %s() of its own", e->name);
	return 0;
}

struct expr *parse_print(struct parser *p)
{
	struct expr *e = expr_new(p->s, EX_PRINT, p->cur.loc);
	struct loc start = p->cur.loc;
	size_t i = 0;

	while (!token_is(&p->cur, prints[i].name))
		i++;
	if (parser_peek(p)->kind != T_LPAREN) {
		parser_error(p, &p->cur, "print-parentheses", "'%s' is a function, and no name for a variable: what it prints stands in"
			     " parentheses", prints[i].name);
		return NULL;
	}
	e->print = arena_alloc(p->s, sizeof(*e->print));
	e->print->kind = prints[i].kind;
	e->print->to_string = prints[i].to_string;
	e->name = prints[i].name;
	parser_next(p);
	parser_next(p); /* ( */
	if (e->print->kind == PRINT_PRINTF)
		return parse_format_args(p, e) ? NULL : expr_done(p, e, start);
	if ((e->print->kind == PRINT_PRINTD || e->print->kind == PRINT_PRINTDLN) && parse_delim(p, e))
		return NULL;
	if (e->print->kind == PRINT_PRINTLN && parser_accept(p, T_RPAREN))
		return expr_done(p, e, start);
	if (p->cur.kind == T_RPAREN) {
		parser_expected(p, "what is to be printed");
		return NULL;
	}
	p->hist_ok = e->print->kind == PRINT_PRINT || e->print->kind == PRINT_PRINTLN;
	if (parse_args(p, e) || check_hist_alone(p, e))
		return NULL;
	return expr_done(p, e, start);
}
