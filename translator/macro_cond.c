/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions of the preprocessor: comparisons of kernel facts, arguments and literals with && and ||. */
#include "macro.h"
#include "literal.h"
#include "name_glob.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARENS 200

enum value_kind { VAL_BAD, VAL_NUM, VAL_STR, VAL_VERSION, VAL_WORD, VAL_CONFIG };

struct value {
	enum value_kind kind;
	int64_t num;
	const char *str;
};

int version_compare(const char *a, const char *b)
{
	for (;;) {
		size_t la, lb;
		int r;

		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (!*a || !*b)
			return (*a != 0) - (*b != 0);
		if (isdigit((unsigned char)*a) != isdigit((unsigned char)*b))
			return isdigit((unsigned char)*a) ? 1 : -1;
		if (isdigit((unsigned char)*a)) {
			a += strspn(a, "0");
			b += strspn(b, "0");
			la = strspn(a, "0123456789");
			lb = strspn(b, "0123456789");
			if (la != lb)
				return la > lb ? 1 : -1;
		} else {
			for (la = 0; isalpha((unsigned char)a[la]);)
				la++;
			for (lb = 0; isalpha((unsigned char)b[lb]);)
				lb++;
		}
		r = strncmp(a, b, MIN(la, lb));
		if (r || la != lb)
			return r ? r : la > lb ? 1 : -1;
		a += la;
		b += lb;
	}
}

/* "6.1.0" of "6.1.0-57-amd64" */
static const char *base_version(struct session *s, const char *release)
{
	return arena_strndup(s, release, strspn(release, "0123456789."));
}

static const char *config_value(struct pp *pp, const struct token *t)
{
	const struct pp_env *env = pp_get_env(pp->s);
	char *name = arena_strndup(pp->s, t->text, t->len);
	const char *v = env->config ? env->config(env->data, name) : NULL;
	size_t len = v ? strlen(v) : 0;

	if (len >= 2 && v[0] == '"' && v[len - 1] == '"')
		return arena_strndup(pp->s, v + 1, len - 2);
	return v ? v : "";
}

static const char *or_empty(const char *str)
{
	return str ? str : "";
}

static struct value named_value(struct pp *pp, const struct token *t)
{
	const struct pp_env *env = pp_get_env(pp->s);
	struct value v = { .kind = VAL_WORD };

	if (token_is(t, "kernel_v") || token_is(t, "kernel_vr")) {
		v.kind = VAL_VERSION;
		v.str = or_empty(env->kernel_vr);
		if (t->len == strlen("kernel_v"))
			v.str = base_version(pp->s, v.str);
	} else if (token_is(t, "systemtap_v")) {
		v.kind = VAL_VERSION;
		v.str = or_empty(env->systemtap_v);
	} else if (token_is(t, "arch")) {
		v.str = or_empty(env->arch);
	} else if (token_is(t, "runtime")) {
		v.str = or_empty(env->runtime);
	} else if (token_is(t, "systemtap_privilege")) {
		v.str = or_empty(env->privilege);
	} else if (token_is(t, "guru_mode")) {
		v.kind = VAL_NUM;
		v.num = pp->guru || pp->s->opt.guru;
		v.str = v.num ? "1" : "0";
	} else if (t->len > 7 && memcmp(t->text, "CONFIG_", 7) == 0) {
		v.kind = VAL_CONFIG;
		v.str = config_value(pp, t);
	} else {
		v.kind = VAL_BAD;
		pp_error(pp, t, "condition-name", "'%.*s' is nothing that a preprocessor condition can ask for",
			 (int)MIN(t->len, 60), t->text);
		diag_help(pp->s, "there are kernel_v, kernel_vr, arch, runtime, guru_mode, systemtap_v, "
			  "systemtap_privilege, CONFIG_*, $1, @1, $#, numbers and strings");
	}
	return v;
}

/* An operand that begins with the token *t. */
static struct value read_operand(struct pp *pp, struct token *t)
{
	struct value v = { .kind = VAL_BAD };
	bool negative = false;

	if (t->kind == T_MINUS) {
		negative = true;
		pp_expand(pp, t);
	}
	if (t->kind == T_NUM && literal_number(t->text, t->len, &v.num)) {
		v.kind = VAL_NUM;
		v.str = arena_strndup(pp->s, t->text, t->len);
		if (negative)
			v.num = -(uint64_t)v.num;
	} else if (t->kind == T_STR && !negative) {
		size_t len;
		const char *why = NULL;

		v.str = literal_string(pp->s, t, &len, &why);
		v.kind = v.str ? VAL_STR : VAL_BAD;
		if (!v.str)
			pp_error(pp, t, "bad-string", "%s", why);
	} else if ((t->kind == T_IDENT || tok_is_keyword(t->kind)) && !negative) {
		v = named_value(pp, t);
	} else {
		pp_error(pp, t, "condition-syntax", "expected a value to compare in a preprocessor condition");
	}
	return v;
}

static bool order_holds(enum tok op, int r)
{
	switch (op) {
	case T_EQ: return r == 0;
	case T_NE: return r != 0;
	case T_LT: return r < 0;
	case T_LE: return r <= 0;
	case T_GT: return r > 0;
	case T_GE: return r >= 0;
	default: return false;
	}
}

static bool is_equality(enum tok op)
{
	return op == T_EQ || op == T_NE;
}

static bool compare_word(struct pp *pp, const struct token *at, const struct value *l, enum tok op, const struct value *r)
{
	bool match;

	if (!is_equality(op)) {
		char *le, *re;
		long long ln = strtoll(l->str, &le, 0), rn = strtoll(r->str, &re, 0);

		if (l->kind == VAL_CONFIG && !*le && !*re && *r->str)
			return *l->str && order_holds(op, (ln > rn) - (ln < rn));
		pp_error(pp, at, "condition-operator", "this can only be compared with '==' and '!='");
		return false;
	}
	match = fnmatch(r->str, l->str, FNM_NOESCAPE) == 0;
	if (l->kind == VAL_CONFIG && !*l->str && strcmp(r->str, "n") == 0)
		match = true; /* what is not set reads as "" and as "n" */
	return match == (op == T_EQ);
}

static bool compare_values(struct pp *pp, const struct token *at, const struct value *l, enum tok op, const struct value *r)
{
	if (l->kind == VAL_BAD || r->kind == VAL_BAD)
		return false;
	if (r->kind > VAL_STR && !(l->kind == VAL_CONFIG && r->kind == VAL_CONFIG)) {
		pp_error(pp, at, "condition-operand", "the right side of a preprocessor comparison must be a number or a string");
		if (l->kind <= VAL_STR)
			diag_help(pp->s, "write it the other way round");
		return false;
	}
	switch (l->kind) {
	case VAL_NUM:
		if (r->kind == VAL_NUM)
			return order_holds(op, (l->num > r->num) - (l->num < r->num));
		break;
	case VAL_STR:
		if (r->kind == VAL_STR)
			return order_holds(op, strcmp(l->str, r->str));
		break;
	case VAL_VERSION:
		if (r->kind != VAL_STR) {
			pp_error(pp, at, "condition-types", "a version is compared with a string, as in kernel_v >= \"6.1\"");
			return false;
		}
		if (is_equality(op) && name_is_glob(r->str))
			return (fnmatch(r->str, l->str, FNM_NOESCAPE) == 0) == (op == T_EQ);
		return order_holds(op, version_compare(l->str, r->str));
	case VAL_WORD:
	case VAL_CONFIG:
		return compare_word(pp, at, l, op, r);
	case VAL_BAD:
		break;
	}
	pp_error(pp, at, "condition-types", "a number can not be compared with a string");
	return false;
}

/* One comparison, which begins with the token *t; *t is the token after it.  `matters` is false when the rest has decided already. */
static bool read_comparison(struct pp *pp, struct token *t, bool matters)
{
	struct value l, r;
	struct token op;
	bool ret = false;

	l = read_operand(pp, t);
	if (l.kind != VAL_BAD || t->kind == T_IDENT) {
		pp_expand(pp, t);
		op = *t;
		if (t->kind < T_LT || t->kind > T_NE) {
			pp_error(pp, t, "condition-syntax", "expected a comparison ('==', '!=', '<', '<=', '>', '>=')");
		} else {
			pp_expand(pp, t);
			r = read_operand(pp, t);
			if (matters)
				ret = compare_values(pp, &op, &l, op.kind, &r);
			if (r.kind != VAL_BAD)
				pp_expand(pp, t);
		}
	}
	return ret;
}

static bool read_or(struct pp *pp, struct token *t, bool matters, int depth);

/* A comparison or a condition in parentheses, from the token behind *t on; *t is the token after it. */
static bool read_primary(struct pp *pp, struct token *t, bool matters, int depth)
{
	bool quiet = pp->quiet_args, ret;
	struct token open;

	pp->quiet_args = quiet || !matters;
	pp_expand(pp, t);
	open = *t;
	if (t->kind != T_LPAREN) {
		ret = read_comparison(pp, t, matters);
		pp->quiet_args = quiet;
		return ret;
	}
	if (depth > MAX_PARENS) {
		pp->quiet_args = quiet;
		pp_error(pp, t, "nesting", "this is nested too deeply");
		return false;
	}
	ret = read_or(pp, t, matters, depth + 1);
	pp->quiet_args = quiet;
	if (t->kind == T_RPAREN) {
		pp_expand(pp, t);
	} else if (pp->nerrors == pp->cond_errors) {
		pp_error(pp, t, "condition-syntax", "expected '&&', '||' or ')' in a preprocessor condition");
		diag_note(pp->s, open.loc, "it closes this '('");
	}
	return ret;
}

static bool read_and(struct pp *pp, struct token *t, bool matters, int depth)
{
	bool all = read_primary(pp, t, matters, depth);

	while (t->kind == T_ANDAND) {
		bool one = read_primary(pp, t, matters && all, depth);

		all = all && one;
	}
	return all;
}

static bool read_or(struct pp *pp, struct token *t, bool matters, int depth)
{
	bool any = read_and(pp, t, matters, depth);

	while (t->kind == T_OROR) {
		bool one = read_and(pp, t, matters && !any, depth);

		any = any || one;
	}
	return any;
}

bool pp_condition(struct pp *pp, struct loc open)
{
	struct token t = { .kind = T_EOF, .loc = open };
	bool yes;

	pp->cond_errors = pp->nerrors;
	yes = read_or(pp, &t, true, 0);
	if (t.kind == T_PP_THEN)
		return yes;
	if (pp->nerrors == pp->cond_errors)
		pp_error(pp, &t, "condition-syntax", "expected '&&', '||' or '%%?' in a preprocessor condition");
	/* go on behind the condition if it ends at all */
	for (int i = 0; i < 100 && t.kind != T_PP_THEN && t.kind != T_PP_CLOSE && t.kind != T_EOF; i++)
		pp_expand(pp, &t);
	return false;
}
