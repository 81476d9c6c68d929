/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operators that look at the target: @const @enum @enumname @kderef @uderef @kregister @uregister @errno
 * @probewrite. */
#include "target.h"
#include "library.h"
#include "debuginfo/dwarf_file.h"

#include <string.h>

/* Byte offsets in struct pt_regs of the registers as DWARF numbers them on x86-64; 16 is the program counter. */
static const unsigned dwarf_regs[] = {
	80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0, 128,
};

static struct expr *fail(struct session *s, struct loc loc, const char *tag, const char *text)
{
	diag_error(s, loc, tag, "%s", text);
	return NULL;
}

/* The arguments are literal strings from number `first` up to number `last`, which some may leave out. */
static bool want_strings(struct session *s, const struct expr *e, size_t first, size_t last, const char *usage)
{
	bool ok = e->nargs > first && e->nargs <= last + 1;

	for (size_t i = first; ok && i < e->nargs; i++)
		ok = e->args[i]->kind == EX_STR;
	if (!ok)
		diag_error(s, e->loc, "operator-usage", "the operator is used as %s", usage);
	return ok;
}

static bool in_library(struct session *s, const struct source *src)
{
	const GPtrArray *lib = library_files(s);

	for (guint i = 0; i < lib->len; i++)
		if (((struct file *)lib->pdata[i])->src == src)
			return true;
	return false;
}

static bool enumerator(struct session *s, const char *module, const char *name, int64_t *value)
{
	struct types_module *m;
	struct dwarf_file *f;
	char *err = NULL;

	if (module && strchr(module, '/')) {
		f = dwarf_user(s, module, &err);
		g_free(err);
		if (!f)
			return false;
		m = types_of_file(session_types(s), f);
	} else {
		m = types_module(session_types(s), module);
	}
	return !m->problem && types_enumerator(m, name, value);
}

/* @const("C expression"): an enumerator or number is known here, the rest is the compiler's. */
static struct expr *lower_const(struct session *s, struct expr *e)
{
	struct expr *ret;
	char *end;
	int64_t v;

	if (!want_strings(s, e, 0, 0, "@const(\"NAME\")"))
		return NULL;
	v = g_ascii_strtoll(e->args[0]->str, &end, 0);
	if ((end != e->args[0]->str && !*end) || enumerator(s, NULL, e->args[0]->str, &v))
		return lowered_num(s, v, e->loc);
	if (!s->opt.guru && !in_library(s, e->loc.src)) {
		diag_error(s, e->loc, "needs-guru", "'%s' is no enumerator of the kernel, and C expressions are allowed in guru mode (-g) only",
			   e->args[0]->str);
		return NULL;
	}
	ret = expr_new(s, EX_EMBEDDED, e->loc);
	ret->str = arena_printf(s, " /* pure */ (int64_t)(%s) ", e->args[0]->str);
	ret->len = strlen(ret->str);
	return ret;
}

/* @enum("NAME" [, "module"]) */
static struct expr *lower_enum(struct session *s, struct expr *e)
{
	int64_t v;

	if (!want_strings(s, e, 0, 1, "@enum(\"NAME\") or @enum(\"NAME\", \"MODULE\")"))
		return NULL;
	if (enumerator(s, e->nargs > 1 ? e->args[1]->str : NULL, e->args[0]->str, &v))
		return lowered_num(s, v, e->loc);
	diag_error(s, e->loc, "unknown-enumerator", "no enumerator '%s' in %s", e->args[0]->str,
		   e->nargs > 1 ? e->args[1]->str : "the kernel");
	return NULL;
}

/* ---- @enumname ---- */

struct enum_text {
	struct session *s;
	struct loc loc;
	GPtrArray *list; /* struct stmt */
};

static struct expr *param_value(struct session *s, struct loc loc)
{
	struct expr *e = expr_new(s, EX_SYM, loc);

	e->name = "value";
	return e;
}

static void put_return(struct enum_text *et, struct expr *cond, struct expr *value)
{
	struct stmt *ret = stmt_new(et->s, ST_RETURN, et->loc), *st = stmt_new(et->s, ST_IF, et->loc);

	ret->expr = value;
	st->expr = cond;
	st->body = ret;
	g_ptr_array_add(et->list, cond ? st : ret);
}

static void put_enumerator(void *data, const char *name, int64_t value)
{
	struct enum_text *et = data;

	put_return(et, expr_binary(et->s, OP_EQ, param_value(et->s, et->loc), expr_num(et->s, value, et->loc), et->loc),
		   expr_str(et->s, arena_strdup(et->s, name), et->loc));
}

static struct expr *number_text(struct session *s, struct loc loc)
{
	struct expr *e = expr_new(s, EX_PRINT, loc);

	e->print = arena_alloc(s, sizeof(*e->print));
	e->print->kind = PRINT_PRINT;
	e->print->to_string = true;
	e->args = arena_alloc(s, sizeof(*e->args));
	e->args[e->nargs++] = param_value(s, loc);
	return e;
}

/* function NAME(value) { if (value == 1) return "ONE" ... return sprint(value) } */
static struct func *enum_function(struct session *s, const struct ctype *t, struct loc loc)
{
	struct enum_text et = { s, loc, g_ptr_array_new() };
	struct func *f = arena_alloc(s, sizeof(*f));
	struct var *v = arena_alloc(s, sizeof(*v));

	types_each_enumerator(t, put_enumerator, &et);
	put_return(&et, NULL, number_text(s, loc));
	v->kind = VAR_PARAM;
	v->name = "value";
	v->loc = loc;
	v->type = TY_LONG;
	f->name = arena_printf(s, "__enumname_%s", ctype_strip(t, NULL)->name);
	f->loc = loc;
	f->type = TY_STRING;
	f->pure = f->from_library = true;
	f->params = arena_alloc(s, sizeof(*f->params));
	f->params[f->nparams++] = v;
	f->body = stmt_new(s, ST_BLOCK, loc);
	f->body->list = (struct stmt **)arena_take(s, et.list, &f->body->nlist);
	return f;
}

/* @enumname("type", value [, "module"]): the enumerator's name, or the number as text. */
static struct expr *lower_enumname(struct session *s, struct probe *p, struct expr *e)
{
	struct types_module *m;
	const struct ctype *t;
	struct expr of = *e, *call;

	if (e->nargs < 2 || e->nargs > 3 || e->args[0]->kind != EX_STR || (e->nargs == 3 && e->args[2]->kind != EX_STR))
		return fail(s, e->loc, "operator-usage", "the operator is used as @enumname(\"TYPE\", value) or @enumname(\"TYPE\", value, \"MODULE\")");
	of.str = e->args[0]->str;
	of.module = e->nargs == 3 ? e->args[2]->str : NULL;
	t = target_type(s, p, &of, &m);
	if (!t)
		return NULL;
	if (ctype_strip(t, NULL)->kind != CTYPE_ENUM) {
		diag_error(s, e->loc, "not-an-enum", "'%s' is no enum", of.str);
		return NULL;
	}
	call = expr_new(s, EX_CALL, e->loc);
	call->func = enum_function(s, t, e->loc);
	call->name = call->func->name;
	call->args = arena_alloc(s, sizeof(*call->args));
	call->args[call->nargs++] = e->args[1];
	return call;
}

/* ---- memory and registers ---- */

static struct expr *lower_deref(struct session *s, struct expr *e, bool user)
{
	int64_t size;

	if (e->nargs != 2)
		return fail(s, e->loc, "operator-usage", user ? "the operator is used as @uderef(SIZE, address)" :
			    "the operator is used as @kderef(SIZE, address)");
	size = e->args[0]->kind == EX_NUM ? e->args[0]->num : 0;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return fail(s, e->args[0]->loc, "operator-usage", "the size has to be 1, 2, 4 or 8");
	return lowered_load(s, e->args[1], size, false, user, e->loc);
}

static struct expr *lower_register(struct session *s, struct probe *p, struct expr *e)
{
	int64_t n = e->nargs == 1 && e->args[0]->kind == EX_NUM ? e->args[0]->num : -1;

	if (n < 0 || n >= (int64_t)G_N_ELEMENTS(dwarf_regs)) {
		diag_error(s, e->loc, "operator-usage", "@%s takes the number of a register, 0 to %zu", e->name,
			   G_N_ELEMENTS(dwarf_regs) - 1);
		return NULL;
	}
	if (!strcmp(e->name, "uregister"))
		return fail(s, e->loc, "no-context", "@uregister() has a meaning in probes of user programs only");
	if (!p || (p->attach != ATTACH_ENTRY && p->attach != ATTACH_RETURN && p->attach != ATTACH_ADDRESS))
		return fail(s, e->loc, "no-context", "this probe has no saved kernel registers");
	return lowered_reg(s, dwarf_regs[n], e->loc);
}

/* @errno: the error number that the function returned, 0 when it returned none. */
static struct expr *lower_errno(struct session *s, struct probe *p, struct expr *e)
{
	struct expr *value = expr_new(s, EX_TARGET, e->loc), *bad, *ret;

	if (!p || p->attach != ATTACH_RETURN || !p->provider->target)
		return fail(s, e->loc, "no-context", "@errno has a meaning in .return probes only");
	value->name = "$return";
	value = p->provider->target(s, p, value, false);
	if (!value)
		return NULL;
	/* -4095 to -1, as one comparison of unsigned numbers would be */
	bad = expr_new(s, EX_LOGAND, e->loc);
	bad->type = TY_LONG;
	bad->a = lowered_binary(s, OP_LT, value, lowered_num(s, 0, e->loc), e->loc);
	bad->b = lowered_binary(s, OP_GE, expr_copy(s, value), lowered_num(s, -4095, e->loc), e->loc);
	ret = expr_new(s, EX_COND, e->loc);
	ret->type = TY_LONG;
	ret->a = bad;
	ret->b = lowered_binary(s, OP_SUB, lowered_num(s, 0, e->loc), expr_copy(s, value), e->loc);
	ret->c = lowered_num(s, 0, e->loc);
	return ret;
}

/* ---- @probewrite ---- */

struct write_search {
	const struct expr *what;
	bool found;
};

static bool is_written(struct walker *w, struct expr **pe)
{
	struct write_search *ws = w->data;
	const struct expr *e = *pe;

	if ((e->kind == EX_ASSIGN || e->kind == EX_PREINC || e->kind == EX_PREDEC || e->kind == EX_POSTINC ||
	     e->kind == EX_POSTDEC) && e->a->kind == ws->what->kind && !strcmp(e->a->name, ws->what->name))
		ws->found = true;
	return !ws->found;
}

/* @probewrite(x): 1 when the handler that the user of an alias wrote assigns x. */
static struct expr *lower_probewrite(struct session *s, struct probe *p, struct expr *e)
{
	struct write_search ws = { .what = e->nargs == 1 ? e->args[0] : NULL };
	struct walker w = { .expr = is_written, .data = &ws };

	if (!ws.what || (ws.what->kind != EX_SYM && ws.what->kind != EX_TARGET))
		return fail(s, e->loc, "operator-usage", "@probewrite takes the name of a variable");
	if (!p)
		return fail(s, e->loc, "no-context", "@probewrite has a meaning in the handlers of probes only");
	if (p->decl && p->decl->body)
		walk_stmt(&w, &p->decl->body);
	return lowered_num(s, ws.found, e->loc);
}

bool target_op_needs_probe(const struct expr *e)
{
	return e->kind == EX_ATOP && (!strcmp(e->name, "kregister") || !strcmp(e->name, "uregister") ||
				      !strcmp(e->name, "errno") || !strcmp(e->name, "probewrite"));
}

struct expr *target_op(struct session *s, struct probe *p, struct expr *e)
{
	if (!strcmp(e->name, "const"))
		return lower_const(s, e);
	if (!strcmp(e->name, "enum"))
		return lower_enum(s, e);
	if (!strcmp(e->name, "enumname"))
		return lower_enumname(s, p, e);
	if (!strcmp(e->name, "kderef") || !strcmp(e->name, "uderef"))
		return lower_deref(s, e, e->name[0] == 'u');
	if (!strcmp(e->name, "kregister") || !strcmp(e->name, "uregister"))
		return lower_register(s, p, e);
	if (!strcmp(e->name, "errno"))
		return lower_errno(s, p, e);
	if (!strcmp(e->name, "probewrite"))
		return lower_probewrite(s, p, e);
	diag_error(s, e->loc, "not-supported", "operator '@%s' is not supported", e->name);
	return NULL;
}
