/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Globals, functions and embedded C. */
#include "parse_priv.h"
#include <string.h>

/* `: long` or `: string` when there is a colon. */
static int parse_type(struct parser *p, enum type *type, struct loc *loc)
{
	if (!parser_accept(p, T_COLON))
		return 0;
	if (p->cur.kind != T_LONG && p->cur.kind != T_STRING)
		return parser_expected(p, "'long' or 'string'");
	*type = p->cur.kind == T_LONG ? TY_LONG : TY_STRING;
	*loc = p->cur.loc;
	parser_next(p);
	return 0;
}

static struct var *parse_var(struct parser *p, enum var_kind kind, const char *what)
{
	struct var *v;

	if (p->cur.kind != T_IDENT || p->cur.text[0] == '$') {
		parser_expected(p, what);
		if (p->cur.kind == T_PRIVATE && kind == VAR_GLOBAL) {
			parser_help(p, "the words stand the other way round: private global NAME");
			parser_next(p);
		} else {
			parser_help_keyword(p);
		}
		return NULL;
	}
	v = arena_alloc(p->s, sizeof(*v));
	v->kind = kind;
	v->name = parser_name(p, &p->cur);
	v->loc = p->cur.loc;
	v->arity = kind == VAR_GLOBAL ? -1 : 0;
	v->from_library = p->file->library;
	v->lock = -1;
	parser_next(p);
	return parse_type(p, &v->type, &v->type_loc) ? NULL : v;
}

static int parse_size(struct parser *p, struct var *v)
{
	struct loc at;

	if (!parser_accept(p, T_LBRACK))
		return 0;
	at = p->cur.loc;
	if (parse_literal_num(p, &v->maxsize))
		return -1;
	if (v->maxsize <= 0 || v->maxsize > INT32_MAX)
		return parser_error_at(p, at, "array-size", "the size of an array must be positive and below 2^31");
	return parser_expect(p, T_RBRACK, "']' after the size of the array");
}

static int parse_init(struct parser *p, struct var *v)
{
	struct loc start;
	int64_t num;

	if (!parser_accept(p, T_ASSIGN))
		return 0;
	start = p->cur.loc;
	if (v->wrap || v->maxsize)
		return parser_error_at(p, start, "array-init", "an array can not be given a value");
	if (p->cur.kind == T_STR)
		return (v->init = parse_string(p)) ? 0 : -1;
	if (p->cur.kind != T_NUM && p->cur.kind != T_MINUS)
		return parser_expected(p, "a literal number or string");
	if (parse_literal_num(p, &num))
		return -1;
	v->init = expr_done(p, expr_num(p->s, num, start), start);
	return v->init ? 0 : -1;
}

int parse_global(struct parser *p, bool is_private)
{
	parser_next(p);
	do {
		struct var *v = parse_var(p, VAR_GLOBAL, "the name of a global variable");

		if (!v)
			return -1;
		v->is_private = is_private;
		v->wrap = parser_accept(p, T_PERCENT);
		if (parse_size(p, v))
			return -1;
		v->wrap |= parser_accept(p, T_PERCENT); /* on either side of the size */
		if (parse_init(p, v))
			return -1;
		g_ptr_array_add(p->file->globals, v);
	} while (parser_accept(p, T_COMMA));
	if (p->cur.kind == T_IDENT || p->cur.kind == T_LBRACE)
		return parser_expected(p, "',' or the end of the declaration");
	parser_accept(p, T_SEMI);
	return 0;
}

char *parse_embedded(struct parser *p)
{
	if (!p->file->guru && !p->file->library) {
		parser_error(p, &p->cur, "embedded-c", "embedded C is allowed in guru mode only");
		parser_help(p, "-g turns guru mode on: such code can crash the machine");
		return NULL;
	}
	if (memchr(p->cur.text, 0, p->cur.len)) {
		parser_error(p, &p->cur, "embedded-c", "embedded C contains a NUL byte");
		return NULL;
	}
	parser_next(p);
	return arena_strndup(p->s, p->prev.text + 2, p->prev.len - 4);
}

static bool has_pragma(const char *code, const char *word)
{
	for (const char *c = code; (c = strstr(c, word)); c++) {
		const char *from = c, *to = c + strlen(word);

		while (from > code && (from[-1] == ' ' || from[-1] == '\t'))
			from--;
		to += strspn(to, " \t");
		if (from - code >= 2 && from[-1] == '*' && from[-2] == '/' && to[0] == '*' && to[1] == '/')
			return true;
	}
	return false;
}

/* NAME of a pragma like runtime: NAME ("word" is how it begins), or NULL */
static const char *name_pragma(struct parser *p, const char *code, const char *word)
{
	const char *c = strstr(code, word);
	size_t len;

	if (!c)
		return NULL;
	c += strlen(word);
	c += strspn(c, " ");
	len = strspn(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return len ? arena_strndup(p->s, c, len) : NULL;
}

static int parse_embedded_body(struct parser *p, struct func *f)
{
	char *code;

	f->code_loc = p->cur.loc;
	code = parse_embedded(p);
	if (!code)
		return -1;
	f->code = code;
	f->pure = has_pragma(code, "pure");
	f->guru = has_pragma(code, "guru");
	if (p->file->library) {
		f->nofail = has_pragma(code, "nofail");
		f->runtime = name_pragma(p, code, "/* runtime:");
		f->hook = name_pragma(p, code, "/* hook:");
	}
	return 0;
}

static int parse_params(struct parser *p, struct func *f)
{
	GPtrArray *params = g_ptr_array_new();

	if (parser_expect(p, T_LPAREN, "'(' and the parameters of the function"))
		goto fail;
	if (p->cur.kind != T_RPAREN) {
		do {
			struct var *v = parse_var(p, VAR_PARAM, "the name of a parameter");

			if (!v)
				goto fail;
			for (unsigned i = 0; i < params->len; i++) {
				struct var *old = params->pdata[i];

				if (strcmp(old->name, v->name) == 0) {
					parser_error_at(p, v->loc, "parameter-twice", "parameter '%s' is named twice", v->name);
					goto fail;
				}
			}
			g_ptr_array_add(params, v);
			if (params->len > 255) {
				parser_error_at(p, v->loc, "many-parameters", "a function can have at most 255 parameters");
				goto fail;
			}
		} while (parser_accept(p, T_COMMA));
	}
	if (parser_expect(p, T_RPAREN, "',' or ')' after a parameter"))
		goto fail;
	f->params = (struct var **)arena_take(p->s, params, &f->nparams);
	return 0;
fail:
	g_ptr_array_free(params, TRUE);
	return -1;
}

/* `: 1` behind the parameters: the lower, the earlier an overload is tried */
static int parse_priority(struct parser *p, struct func *f)
{
	struct loc at;
	int64_t num;

	f->priority = -1;
	if (!parser_accept(p, T_COLON))
		return 0;
	at = p->cur.loc;
	if (parse_literal_num(p, &num))
		return -1;
	if (num < 0 || num > INT32_MAX)
		return parser_error_at(p, at, "priority", "the priority of a function must be 0 or more and below 2^31");
	f->priority = num;
	return 0;
}

static int parse_function_head(struct parser *p, struct func *f)
{
	parser_next(p);
	if (p->cur.kind != T_IDENT || p->cur.text[0] == '$')
		return parser_expected(p, "the name of a function");
	if (is_print_name(&p->cur))
		return parser_error(p, &p->cur, "reserved-name", "'%.*s' is part of the language and can not be defined",
				    (int)p->cur.len, p->cur.text);
	f->name = parser_name(p, &p->cur);
	f->loc = p->cur.loc;
	parser_next(p);
	if (parse_type(p, &f->type, &f->type_loc) || parse_params(p, f))
		return -1;
	return parse_priority(p, f);
}

int parse_function(struct parser *p, bool is_private)
{
	struct func *f = arena_alloc(p->s, sizeof(*f));
	int ret;

	f->is_private = is_private;
	f->from_library = p->file->library;
	ret = parse_function_head(p, f);
	p->in_function = true;
	p->loops = 0;
	if (ret)
		while (p->cur.kind != T_LBRACE && p->cur.kind != T_EOF && !at_top_keyword(p))
			parser_next(p);
	if (p->cur.kind == T_EMBED)
		ret |= parse_embedded_body(p, f);
	else if (p->cur.kind == T_LBRACE)
		ret |= (f->body = parse_block(p)) ? 0 : -1;
	else
		ret = parser_expected(p, "'{' and the body of the function");
	p->in_function = false;
	if (ret)
		return -1;
	parser_accept(p, T_SEMI);
	g_ptr_array_add(p->file->funcs, f);
	return 0;
}
