/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Macros, script arguments and the choice of branches: see macro.h.
 *
 * Input is a stack of frames: the script's text, text pasted from an argument, the body of a macro,
 * an argument of a macro.  A token from a macro's body carries the call it belongs to (token.env), so
 * that @param means the right thing also after it was handed on as another macro's argument.
 */
#include "macro.h"
#include "arena.h"
#include "macro_table.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 500
#define MAX_CALLS 100             /* macros within macros */
#define MAX_EXPANDED 1000000      /* tokens out of macros, a file */

struct macro_arg {
	struct token *tok;
	size_t n;
};

struct macro_call {
	struct macro *m;
	struct macro_arg *args;   /* m->nparams */
	struct macro_call *outer; /* whose body the call stands in */
	struct loc at;
	unsigned depth;
};

struct pp_frame {
	struct lexer lx;          /* text when list is NULL */
	const struct token *list;
	size_t pos, n;
	struct macro_call *body_of; /* tokens of the list belong to this call */
};

struct pp_cond {
	struct loc open;
	bool in_else;
};

int pp_error(struct pp *pp, const struct token *t, const char *tag, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	diag_error(pp->s, t->loc, tag, "%s", text);
	pp_note_expansion(pp, t);
	g_free(text);
	pp->nerrors++;
	return -1;
}

void pp_note_expansion(struct pp *pp, const struct token *t)
{
	int n = 0;

	for (const struct macro_call *c = t->env; c && n < 4; c = c->outer, n++)
		diag_note(pp->s, c->at, "in the expansion of macro '@%s'", c->m->name);
}

void pp_init(struct pp *pp, struct session *s, struct source *src, bool library, bool guru)
{
	struct pp_frame base = { .list = NULL };

	*pp = (struct pp){ .s = s, .library = library, .guru = guru };
	pp->old_words = !library && s->opt.compatible && version_compare(s->opt.compatible, "3.0") < 0;
	pp->frames = g_array_new(FALSE, FALSE, sizeof(struct pp_frame));
	pp->conds = g_array_new(FALSE, FALSE, sizeof(struct pp_cond));
	lexer_init(&base.lx, src);
	g_array_append_val(pp->frames, base);
}

void pp_free(struct pp *pp)
{
	g_array_free(pp->frames, TRUE);
	g_array_free(pp->conds, TRUE);
	if (pp->macros)
		g_hash_table_destroy(pp->macros);
}

static void give_up(struct pp *pp, const struct token *t, const char *tag, const char *why)
{
	pp_error(pp, t, tag, "%s", why);
	pp->stop = true;
}

static void push_frame(struct pp *pp, const struct pp_frame *f, const struct token *at)
{
	if (pp->frames->len >= MAX_FRAMES)
		give_up(pp, at, "macro-nesting", "macros are nested too deeply");
	else
		g_array_append_vals(pp->frames, f, 1);
}

/* The next token as written, out of whatever frame is innermost. */
static void raw_next(struct pp *pp, struct token *t)
{
	while (!pp->stop) {
		struct pp_frame *f = &g_array_index(pp->frames, struct pp_frame, pp->frames->len - 1);

		if (!f->list) {
			lex_next(&f->lx, t);
			if (t->kind == T_PRIVATE && pp->old_words)
				t->kind = T_IDENT;
			if (t->kind != T_EOF || pp->frames->len == 1)
				return;
		} else if (f->pos < f->n) {
			*t = f->list[f->pos++];
			if (f->body_of)
				t->env = f->body_of;
			if (++pp->expanded > MAX_EXPANDED)
				give_up(pp, t, "macro-size", "this macro expands to more than a million tokens");
			else
				return;
			continue;
		}
		g_array_set_size(pp->frames, pp->frames->len - 1);
	}
	*t = (struct token){ .kind = T_EOF, .text = "", .loc = t->loc };
}

/* A name token of any kind as a string in the arena. */
static char *token_name(struct pp *pp, const struct token *t)
{
	return arena_strndup(pp->s, t->text, t->len);
}

static int expect_raw(struct pp *pp, struct token *t, enum tok kind, const char *what)
{
	raw_next(pp, t);
	if (t->kind == kind || (kind == T_IDENT && tok_is_keyword(t->kind)))
		return 0;
	return pp_error(pp, t, "define-syntax", "expected %s in a macro definition", what);
}

static int define_params(struct pp *pp, struct macro *m, struct token *t)
{
	GPtrArray *names = g_ptr_array_new();

	m->has_parens = true;
	raw_next(pp, t);
	while (t->kind != T_RPAREN || names->len) {
		if (t->kind != T_IDENT && !tok_is_keyword(t->kind)) {
			g_ptr_array_free(names, TRUE);
			return pp_error(pp, t, "define-syntax", "expected the name of a macro parameter");
		}
		g_ptr_array_add(names, token_name(pp, t));
		raw_next(pp, t);
		if (t->kind == T_RPAREN)
			break;
		if (t->kind != T_COMMA) {
			g_ptr_array_free(names, TRUE);
			return pp_error(pp, t, "define-syntax", "expected ',' or ')' after a macro parameter");
		}
		raw_next(pp, t);
	}
	m->params = (const char **)arena_take(pp->s, names, &m->nparams);
	raw_next(pp, t);
	return 0;
}

static struct token *take_tokens(struct session *s, GArray *a, size_t *n)
{
	struct token *ret = arena_alloc(s, a->len * sizeof(*ret) + 1);

	*n = a->len;
	if (a->len)
		memcpy(ret, a->data, a->len * sizeof(*ret));
	g_array_free(a, TRUE);
	return ret;
}

static int define_body(struct pp *pp, struct macro *m, const struct token *open)
{
	GArray *body = g_array_new(FALSE, FALSE, sizeof(struct token));
	struct token t = *open;
	unsigned level = 1;

	for (;;) {
		raw_next(pp, &t);
		if (t.kind == T_EOF) {
			g_array_free(body, TRUE);
			pp_error(pp, open, "define-open", "the body of macro '@%s' is never closed by '%%)'", m->name);
			return -1;
		}
		level += (t.kind == T_PP_OPEN) - (t.kind == T_PP_CLOSE);
		if (level == 0)
			break;
		g_array_append_val(body, t);
	}
	m->body = take_tokens(pp->s, body, &m->nbody);
	return 0;
}

/* Behind the word @define: name, parameters, %( body %). */
static int define_macro(struct pp *pp, GHashTable *table)
{
	struct macro *m = arena_alloc(pp->s, sizeof(*m)), *old;
	struct token t = { .kind = T_EOF };

	if (expect_raw(pp, &t, T_IDENT, "a name"))
		return -1;
	m->name = token_name(pp, &t);
	m->loc = t.loc;
	if (macro_is_builtin(m->name))
		pp_error(pp, &t, "define-builtin", "'@%s' is an operator of the language and can not be redefined", m->name);
	old = g_hash_table_lookup(table, m->name);
	raw_next(pp, &t);
	if (t.kind == T_LPAREN && define_params(pp, m, &t))
		return -1;
	if (t.kind != T_PP_OPEN)
		return pp_error(pp, &t, "define-syntax", "expected '%%(' and the body of macro '@%s'", m->name);
	if (define_body(pp, m, &t))
		return -1;
	if (old) {
		struct token at = { .loc = m->loc };

		pp_error(pp, &at, "define-twice", "macro '@%s' is defined twice", m->name);
		diag_note(pp->s, old->loc, "first defined here");
		return -1;
	}
	g_hash_table_insert(table, (char *)m->name, m);
	return 0;
}

int macro_load(struct session *s, struct source *src)
{
	GHashTable *table = macro_library(s);
	struct pp pp;
	struct token t = { .kind = T_EOF };
	int pass = s->pass, ret;

	s->pass = 1;
	pp_init(&pp, s, src, true, false);
	for (raw_next(&pp, &t); t.kind != T_EOF && pp.nerrors < 20; raw_next(&pp, &t)) {
		if (t.kind == T_ATWORD && token_is(&t, "@define")) {
			define_macro(&pp, table);
		} else if (t.kind == T_BAD) {
			pp_error(&pp, &t, "bad-token", "%s", t.bad);
		} else {
			pp_error(&pp, &t, "stpm-syntax", "a macro file may hold only '@define' definitions");
			while (t.kind != T_EOF && !(t.kind == T_ATWORD && token_is(&t, "@define")))
				raw_next(&pp, &t);
			if (t.kind != T_EOF)
				define_macro(&pp, table);
		}
	}
	ret = pp.nerrors ? -1 : 0;
	pp_free(&pp);
	s->pass = pass;
	return ret;
}

/* Collects the arguments of a call; t is its '('. */
static int call_args(struct pp *pp, struct macro_call *call, const struct token *at)
{
	GArray *cur = g_array_new(FALSE, FALSE, sizeof(struct token));
	GArray *args = g_array_new(FALSE, TRUE, sizeof(struct macro_arg));
	struct macro_arg arg;
	struct token t = *at;
	unsigned level = 0;
	int ret = 0;

	for (;;) {
		raw_next(pp, &t);
		if (t.kind == T_EOF) {
			ret = pp_error(pp, at, "macro-args", "the arguments of macro '@%s' are never closed by ')'", call->m->name);
			break;
		}
		if (level == 0 && (t.kind == T_COMMA || t.kind == T_RPAREN)) {
			if (t.kind == T_COMMA || args->len || cur->len || call->m->nparams) {
				arg.tok = take_tokens(pp->s, cur, &arg.n);
				g_array_append_val(args, arg);
				cur = g_array_new(FALSE, FALSE, sizeof(struct token));
			}
			if (t.kind == T_RPAREN)
				break;
			continue;
		}
		if (t.kind == T_LPAREN || t.kind == T_LBRACK || t.kind == T_LBRACE)
			level++;
		else if (level && (t.kind == T_RPAREN || t.kind == T_RBRACK || t.kind == T_RBRACE))
			level--;
		g_array_append_val(cur, t);
	}
	if (ret == 0 && args->len != call->m->nparams) {
		ret = pp_error(pp, at, "macro-args", "macro '@%s' takes %zu argument%s, not %u", call->m->name,
			       call->m->nparams, call->m->nparams == 1 ? "" : "s", args->len);
		diag_note(pp->s, call->m->loc, "defined here");
	}
	call->args = arena_alloc(pp->s, args->len * sizeof(arg) + 1);
	if (args->len)
		memcpy(call->args, args->data, args->len * sizeof(arg));
	g_array_free(args, TRUE);
	g_array_free(cur, TRUE);
	return ret;
}

static bool is_recursive(const struct token *t, const struct macro *m)
{
	for (const struct macro_call *c = t->env; c; c = c->outer)
		if (c->m == m)
			return true;
	return false;
}

/* Puts the body of m in place of t.  On an error nothing is put there; *t becomes T_BAD without a
 * message of its own, so that the parser does not read on as if nothing had been written. */
static int call_macro(struct pp *pp, struct token *t, struct macro *m)
{
	struct macro_call *call = arena_alloc(pp->s, sizeof(*call));
	struct pp_frame f = { .list = m->body, .n = m->nbody, .body_of = call };
	struct token paren = *t, at = *t;

	call->m = m;
	call->at = t->loc;
	call->outer = t->env;
	call->depth = t->env ? t->env->depth + 1 : 1;
	t->kind = T_BAD;
	t->bad = NULL;
	if (is_recursive(&at, m))
		return pp_error(pp, &at, "macro-recursion", "macro '@%s' uses itself", m->name);
	if (call->depth > MAX_CALLS) {
		give_up(pp, &at, "macro-nesting", "macros are nested too deeply");
		return -1;
	}
	if (m->has_parens) {
		raw_next(pp, &paren);
		if (paren.kind != T_LPAREN) {
			pp_error(pp, &at, "macro-args", "macro '@%s' needs its arguments in parentheses", m->name);
			diag_note(pp->s, m->loc, "defined here");
			return -1;
		}
		if (call_args(pp, call, &at))
			return -1;
	}
	push_frame(pp, &f, &at);
	return 0;
}

/* What @name means: 0 when t was replaced by a frame, 1 when t stays as it is, -1 after an error. */
static int expand_atword(struct pp *pp, struct token *t)
{
	char name[128];
	struct macro *m;

	if (t->len - 1 >= sizeof(name))
		return 1;
	memcpy(name, t->text + 1, t->len - 1);
	name[t->len - 1] = 0;
	for (size_t i = 0; t->env && i < t->env->m->nparams; i++) {
		if (strcmp(t->env->m->params[i], name) == 0) {
			const struct macro_arg *arg = &t->env->args[i];
			struct pp_frame f = { .list = arg->tok, .n = arg->n };

			push_frame(pp, &f, t);
			return 0;
		}
	}
	if (macro_is_builtin(name))
		return 1;
	m = pp->macros ? g_hash_table_lookup(pp->macros, name) : NULL;
	if (!m)
		m = macro_find_library(pp->s, name);
	if (!m)
		return 1;
	return call_macro(pp, t, m);
}

/* $N: the argument's text, together with the letters written right behind it. */
static void paste_arg(struct pp *pp, struct token *t, const char *arg)
{
	struct pp_frame *top = &g_array_index(pp->frames, struct pp_frame, pp->frames->len - 1);
	struct pp_frame f = { .list = NULL };
	struct loc *at = arena_alloc(pp->s, sizeof(*at));
	const char *tail = "";
	size_t ntail = 0;
	char *text;

	if (!top->list) {
		tail = top->lx.p;
		while (top->lx.p < top->lx.end && (g_ascii_isalnum(*top->lx.p) || *top->lx.p == '_'))
			top->lx.p++;
		ntail = top->lx.p - tail;
	}
	text = g_strdup_printf("%s%.*s", arg, (int)ntail, tail);
	*at = t->loc;
	lexer_init(&f.lx, source_text(pp->s, "<argument>", text, strlen(text)));
	f.lx.fixed = at;
	g_free(text);
	pp->expanded += 1 + strlen(arg) / 4;
	if (pp->expanded > MAX_EXPANDED)
		give_up(pp, t, "macro-size", "script arguments expand to too much text");
	else
		push_frame(pp, &f, t);
}

/* Of an example it is told how it is called, once. */
static void error_example(struct pp *pp, const struct token *t)
{
	char **usage = args_usage(t->loc.src->text);

	give_up(pp, t, "missing-argument", "the example needs arguments behind its name");
	for (char **line = usage; *line; line++)
		diag_help(pp->s, "%s", *line);
	g_strfreev(usage);
}

/* $1 @1 $# @#: 0 when a frame replaces t, 1 when t now is the value. */
static int expand_arg(struct pp *pp, struct token *t)
{
	bool raw = t->text[0] == '$', is_count = t->text[1] == '#';
	size_t n = is_count ? 0 : strtoul(t->text + 1, NULL, 10), nargs = pp->s->opt.args->len;
	const char *value = "";

	if (is_count) {
		value = arena_printf(pp->s, "%zu", nargs);
	} else if (n >= 1 && n <= nargs) {
		value = pp->s->opt.args->pdata[n - 1];
		args_mark_used(pp->s, n);
		if (raw) {
			paste_arg(pp, t, value);
			return 0;
		}
	} else {
		if (!pp->quiet_args && pp->s->opt.is_example && !pp->library) {
			error_example(pp, t);
		} else if (!pp->quiet_args) {
			pp_error(pp, t, "missing-argument", n ? "script argument number %.*s is not given" :
				 "script arguments count from 1, there is no '%.*s'", n ? (int)t->len - 1 : (int)t->len,
				 n ? t->text + 1 : t->text);
			diag_help(pp->s, "there %s %zu argument%s after the script", nargs == 1 ? "is" : "are",
				  nargs, nargs == 1 ? "" : "s");
		}
		value = raw ? "0" : "";
	}
	t->kind = raw ? T_NUM : T_STR;
	t->from_arg = true;
	t->text = value;
	t->len = strlen(value);
	return 1;
}

void pp_expand(struct pp *pp, struct token *t)
{
	for (;;) {
		raw_next(pp, t);
		if (t->kind == T_ARG) {
			if (expand_arg(pp, t))
				return;
		} else if (t->kind == T_ATWORD && token_is(t, "@define")) {
			if (!pp->macros)
				pp->macros = g_hash_table_new(g_str_hash, g_str_equal);
			define_macro(pp, pp->macros);
		} else if (t->kind == T_ATWORD) {
			if (expand_atword(pp, t))
				return;
		} else {
			return;
		}
	}
}

/* Passes over a branch not taken: up to its `%:` (when asked for) or `%)`, which is returned. */
static enum tok skip_branch(struct pp *pp, bool stop_at_else, struct loc open)
{
	struct token t = { .kind = T_EOF };
	unsigned level = 1;

	for (;;) {
		raw_next(pp, &t);
		switch (t.kind) {
		case T_PP_OPEN:
			level++;
			break;
		case T_PP_CLOSE:
			if (--level == 0)
				return T_PP_CLOSE;
			break;
		case T_PP_ELSE:
			if (level == 1 && stop_at_else)
				return T_PP_ELSE;
			if (level == 1)
				pp_error(pp, &t, "condition-stray", "this condition has a '%%:' already");
			break;
		case T_EOF: {
			struct token at = { .loc = open };

			pp_error(pp, &at, "condition-open", "'%%(' is never closed by '%%)'");
			return T_EOF;
		}
		default:
			break;
		}
	}
}

static void open_condition(struct pp *pp, const struct token *t)
{
	struct pp_cond c = { .open = t->loc };
	bool yes = pp_condition(pp, t->loc);

	if (!yes) {
		if (skip_branch(pp, true, c.open) != T_PP_ELSE)
			return;
		c.in_else = true;
	}
	g_array_append_val(pp->conds, c);
}

void pp_next(struct pp *pp, struct token *t)
{
	for (;;) {
		struct pp_cond *c;

		pp_expand(pp, t);
		c = pp->conds->len ? &g_array_index(pp->conds, struct pp_cond, pp->conds->len - 1) : NULL;
		switch (t->kind) {
		case T_PP_OPEN:
			open_condition(pp, t);
			break;
		case T_PP_ELSE:
			if (!c || c->in_else) {
				pp_error(pp, t, "condition-stray", "'%%:' without a '%%(' and '%%?' before it");
				break;
			}
			skip_branch(pp, false, c->open);
			g_array_set_size(pp->conds, pp->conds->len - 1);
			break;
		case T_PP_CLOSE:
			if (c)
				g_array_set_size(pp->conds, pp->conds->len - 1);
			else
				pp_error(pp, t, "condition-stray", "'%%)' without a '%%(' before it");
			break;
		case T_PP_THEN:
			pp_error(pp, t, "condition-stray", "'%%?' without a '%%(' before it");
			break;
		case T_EOF:
			for (; c && !pp->stop; c = NULL) {
				struct token at = { .loc = c->open };

				pp_error(pp, &at, "condition-open", "'%%(' is never closed by '%%)'");
				g_array_set_size(pp->conds, 0);
			}
			return;
		default:
			return;
		}
	}
}
