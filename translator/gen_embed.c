/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Users' embedded C.  It is compiled apart, against the kernel's headers (runtime/abi/stp_embed.h), because generated C
 * knows no kernel type.  Both sides see one structure a piece: arguments, strings as NUL-terminated arrays of MAXSTRINGLEN
 * bytes, and the result.  Generated C fills it and calls stp_embed_NAME(); the unit of embedded C defines that, around a
 * function whose body is the user's text.
 */
#include "embed.h"
#include "gen.h"
#include "source.h"

#include <errno.h>
#include <string.h>

/* Members of a piece's structure, the same text on both sides. */
static const char *member(struct fn *f, enum type t, const char *name)
{
	return t == TY_STRING ? gen_text(f, "char %s[%u]; ", name, f->g->maxstr) : gen_text(f, "s64 %s; ", name);
}

/* A parameter is l_NAME, and NAME too where the code says THIS->NAME. */
static const char *param_member(struct fn *f, const struct func *fu, const struct var *p)
{
	const char *c = fu->code, *plain = gen_text(f, "THIS->%s", p->name);

	if (!embed_has_word(c, plain))
		return member(f, p->type, gen_text(f, "l_%s", p->name));
	return gen_text(f, "union { %s%s}; ", member(f, p->type, gen_text(f, "l_%s", p->name)),
	                member(f, p->type, p->name));
}

static const char *members(struct fn *f, const struct func *fu, enum type result)
{
	const char *t = "";

	for (size_t i = 0; fu && i < fu->nparams; i++)
		t = gen_text(f, "%s%s", t, param_member(f, fu, fu->params[i]));
	if (result == TY_LONG || result == TY_STRING)
		t = gen_text(f, "%s%s", t, member(f, result, "__retvalue"));
	return t;
}

/* ---- the unit of embedded C ---- */

static void put_line(GString *out, struct loc loc, unsigned more)
{
	const char *file = loc.src ? loc.src->name : "script";

	g_string_append_printf(out, "#line %u ", (loc.line ? loc.line : 1) + more);
	emit_c_string(out, file, strlen(file));
	g_string_append_c(out, '\n');
}

/* The user's text at its line and column, and then blanks: what is missing from it is missed where it ends. */
static void put_code(GString *out, const char *code, struct loc loc)
{
	const char *last = strrchr(code, '\n');
	unsigned lines = 0, col = last ? 0 : loc.col + 1;

	put_line(out, loc, 0);
	g_string_append_printf(out, "%*s%s\n", (int)loc.col + 1, "", code);
	for (const char *c = code; *c; c++)
		lines += *c == '\n';
	put_line(out, loc, lines);
	g_string_append_printf(out, "%*s", (int)(col + strlen(last ? last + 1 : code)), "");
}

/* What differs between a function, a statement and an expression. */
static void put_macros(GString *out, const struct func *fu, enum type result, bool define)
{
	for (size_t i = 0; fu && i < fu->nparams; i++)
		g_string_append_printf(out, define ? "#define STAP_ARG_%s THIS->l_%s\n" : "#undef STAP_ARG_%s\n",
		                       fu->params[i]->name, fu->params[i]->name);
	if (!define) {
		g_string_append(out, "#undef STAP_RETVALUE\n#undef STAP_RETURN\n");
		return;
	}
	if (result == TY_LONG)
		g_string_append(out, "#define STAP_RETVALUE THIS->__retvalue\n"
		                     "#define STAP_RETURN(v) do { THIS->__retvalue = (s64)(v); __stp_leave; } while (0)\n");
	else if (result == TY_STRING)
		g_string_append(out, "#define STAP_RETVALUE THIS->__retvalue\n"
		                     "#define STAP_RETURN(v) do { strlcpy(THIS->__retvalue, (v), MAXSTRINGLEN); __stp_leave; } while (0)\n");
	else
		g_string_append(out, "#define STAP_RETURN(...) __stp_leave\n");
}

/* `goto out` without a label of the user's own ends the code. */
static bool wants_out(const char *code)
{
	const char *c = code;

	while ((c = strstr(c, "out"))) {
		const char *after = c + 3 + strspn(c + 3, " \t");

		if (*after == ':' && (c == code || !(g_ascii_isalnum(c[-1]) || c[-1] == '_' || c[-1] == '?')))
			return false;
		c += 3;
	}
	return embed_has_word(code, "out") && embed_has_word(code, "goto");
}

struct piece {
	const char *name, *code;
	struct loc loc;
	const struct func *func; /* NULL: a statement or expression */
	enum type result;        /* TY_VOID: none */
	bool is_expr;
};

/* What of the context the code uses and costs something: enum STP_EMBED_... */
static const char *context_flags(struct fn *f, const char *code)
{
	return gen_text(f, "%s%s%s0", embed_has_word(code, "error_buffer") ? "STP_EMBED_BUFFER | " : "",
	                embed_wants_registers(code) ? "STP_EMBED_REGS | " : "",
	                embed_has_word(code, "probe_point") ? "STP_EMBED_POINT | " : "");
}

static void put_piece(struct fn *f, const struct piece *p)
{
	GString *out = f->g->embed;

	g_string_append_printf(out, "\nstruct embed_%s { %s};\n", p->name, members(f, p->func, p->result));
	put_macros(out, p->func, p->result, true);
	/* in a block of its own: the code may have a variable `c` */
	g_string_append_printf(out, "static void body_%s(struct context *c, struct embed_%s *THIS)\n{{\n", p->name, p->name);
	if (p->is_expr && p->result == TY_STRING)
		g_string_append(out, "strlcpy(THIS->__retvalue, (\n");
	else if (p->is_expr)
		g_string_append(out, "THIS->__retvalue = (s64)(\n");
	put_code(out, p->code, p->loc);
	if (p->is_expr)
		g_string_append(out, p->result == TY_STRING ? "), MAXSTRINGLEN);\n" : ");\n");
	else if (wants_out(p->code))
		g_string_append(out, "out: ;\n");
	g_string_append(out, "}}\n#line 1 \"<embedded C>\"\n");
	put_macros(out, p->func, p->result, false);
	g_string_append_printf(out, "u32 stp_embed_%s(struct stp_ctx *ctx, void *args)\n{\n\tstruct context c;\n\n"
	                       "\tstp_embed_enter(ctx, &c, %s);\n\tbody_%s(&c, args);\n\treturn stp_embed_leave(ctx, &c);\n}\n",
	                       p->name, context_flags(f, p->code), p->name);
}

/* ---- globals ---- */

static const char *c_param(const struct var *v, int key)
{
	return (key < 0 ? v->type : v->key[key]) == TY_STRING ? "const char *" : "s64 ";
}

static const char *accessor_head(struct fn *f, const struct var *v, bool set)
{
	const char *t = gen_text(f, "%sstp_embed_%s_%s(struct stp_ctx *c", set ? "void " : c_param(v, -1),
	                         set ? "set" : "get", var_cname(v));

	for (int i = 0; i < v->arity; i++)
		t = gen_text(f, "%s, %sk%d", t, c_param(v, i), i);
	return gen_text(f, set ? "%s, %sv)" : "%s)", t, c_param(v, -1));
}

/* The body of an accessor of an array, in generated C. */
static void put_array_body(struct fn *f, GString *out, const struct var *v, bool set)
{
	bool str = v->type == TY_STRING;

	g_string_append(out, "\tunion stp_key k[] = {");
	for (int i = 0; i < v->arity; i++)
		g_string_append_printf(out, v->key[i] == TY_STRING ? " { .s = stp_embed_view(k%d, %u) }," : " { .l = k%d },",
		                       i, f->g->maxstr);
	g_string_append_printf(out, " };\n\t%s *cell = stp_map_%s(c, g_%s, k);\n\n", str ? "struct stp_buf" : "s64",
	                       set ? "at" : "peek", var_cname(v));
	if (set && str)
		g_string_append_printf(out, "\tif (cell)\n\t\tstp_buf_set(cell, %u, stp_embed_view(v, %u));\n", f->g->maxstr,
		                       f->g->maxstr);
	else if (set)
		g_string_append(out, "\tif (cell)\n\t\t*cell = v;\n");
	else if (str)
		g_string_append(out, "\treturn cell ? stp_embed_text(c, stp_buf_get(cell)) : \"\";\n");
	else
		g_string_append(out, "\treturn cell ? *cell : 0;\n");
}

static void put_accessor(struct fn *f, const struct var *v, bool set)
{
	GString *out = f->g->access;
	const char *head = accessor_head(f, v, set), *name = var_cname(v);

	g_string_append_printf(f->g->embed_head, "%s;\n#define STAP_GLOBAL_%s_%s(...) stp_embed_%s_%s(CONTEXT->stp, ##__VA_ARGS__)\n",
	                       head, set ? "SET" : "GET", v->name, set ? "set" : "get", name);
	g_string_append_printf(out, "%s\n{\n", head);
	if (v->arity > 0) {
		put_array_body(f, out, v, set);
	} else if (v->type == TY_STRING) {
		f->g->uses_buf = true;
		if (set)
			g_string_append_printf(out, "\tstr_set(g_%s, stp_embed_view(v, %u));\n", name, f->g->maxstr);
		else
			g_string_append_printf(out, "\treturn stp_embed_text(c, str_get(g_%s));\n", name);
	} else {
		g_string_append_printf(out, set ? "\tg_%s = v;\n" : "\treturn g_%s;\n", name);
	}
	g_string_append(out, "}\n\n");
}

static void put_accessors(struct fn *f, struct expr *e)
{
	for (size_t i = 0; e && i < e->nargs; i++) {
		struct var *v = e->args[i]->var;
		unsigned had;

		if (v->type == TY_STATS) {
			gen_error(f, e->loc, "embedded-c", "embedded C can not use '%s': it holds statistics", v->name);
			diag_help(f->g->s, "add to it in the script, with '<<<', and give the C function what it needs of it, '@count(%s)' for"
			          " one, as an argument", v->name);
			continue;
		}
		had = GPOINTER_TO_UINT(g_hash_table_lookup(f->g->accessible, v));
		g_hash_table_insert(f->g->accessible, v, GUINT_TO_POINTER(had | (unsigned)e->args[i]->num));
		gen_declare(f->g, "struct stp_str stp_embed_view(const char *p, size_t size);");
		gen_declare(f->g, "const char *stp_embed_text(struct stp_ctx *c, struct stp_str s);");
		if (~had & e->args[i]->num & EMBED_READ)
			put_accessor(f, v, false);
		if (~had & e->args[i]->num & EMBED_WRITE)
			put_accessor(f, v, true);
	}
}

/* Strings that the code reads are copied into scratch memory. */
static void account_globals(struct fn *f, struct expr *e)
{
	for (size_t i = 0; e && i < e->nargs; i++)
		if (e->args[i]->var->type == TY_STRING && (e->args[i]->num & EMBED_READ))
			gen_scratch(f, 2 * (size_t)f->g->maxstr);
}

/* ---- generated C ---- */

/* Strings lie in scratch memory; a structure of numbers is a C variable. */
static bool in_scratch(const struct func *fu, enum type result)
{
	for (size_t i = 0; fu && i < fu->nparams; i++)
		if (fu->params[i]->type == TY_STRING)
			return true;
	return result == TY_STRING;
}

static void declare_piece(struct fn *f, const struct piece *p)
{
	const char *m = members(f, p->func, p->result);

	if (*m)
		gen_declare(f->g, gen_text(f, "struct embed_%s { %s};", p->name, m));
	gen_declare(f->g, gen_text(f, "u32 stp_embed_%s(struct stp_ctx *c, void *args);", p->name));
	if (p->result == TY_STRING)
		gen_declare(f->g, "struct stp_str stp_embed_view(const char *p, size_t size);");
	f->regs |= embed_wants_registers(p->code);
	f->leaf = false;
	if (embed_has_word(p->code, "error_buffer"))
		gen_scratch(f, 0);
	if (embed_has_word(p->code, "probe_point"))
		gen_scratch(f, 2 * (size_t)f->g->maxstr);
}

/* Puts the structure in place; returns how to reach its members ("a." or "a->") and its address. */
static const char *put_args(struct fn *f, const struct piece *p, struct loc loc, const char **addr)
{
	unsigned n = ++f->ntmp;

	if (!in_scratch(p->func, p->result)) {
		if (!*members(f, p->func, p->result)) {
			*addr = "NULL";
			return "";
		}
		emit_line(&f->o, "struct embed_%s t%u = { 0 };", p->name, n);
		*addr = gen_text(f, "&t%u", n);
		return gen_text(f, "t%u.", n);
	}
	emit_line(&f->o, "struct embed_%s *t%u = stp_tmp(c, sizeof(*t%u));", p->name, n, n);
	gen_check_cond(f, gen_text(f, "!t%u", n), loc, "string");
	for (size_t i = 0; p->func && i < p->func->nparams; i++)
		gen_scratch(f, p->func->params[i]->type == TY_STRING ? 0 : 8);
	gen_scratch(f, p->result == TY_STRING ? 0 : 8);
	*addr = gen_text(f, "t%u", n);
	return gen_text(f, "t%u->", n);
}

static void put_params(struct fn *f, const struct func *fu, const char *at)
{
	for (size_t i = 0; i < fu->nparams; i++) {
		const struct var *v = fu->params[i];

		if (v->type == TY_STRING) {
			gen_declare(f->g, "void stp_embed_copy(char *to, size_t size, struct stp_str s);");
			emit_line(&f->o, "stp_embed_copy(%sl_%s, %u, l_%s);", at, v->name, f->g->maxstr, var_cname(v));
		} else {
			emit_line(&f->o, "%sl_%s = l_%s;", at, v->name, var_cname(v));
		}
	}
}

/* The call, what it failed with, and STAP_NEXT. */
static void put_call(struct fn *f, const struct piece *p, const char *addr, struct loc loc, const char *what)
{
	if (!embed_has_word(p->code, "STAP_NEXT")) {
		emit_line(&f->o, "stp_embed_%s(c, %s);", p->name, addr);
		gen_check(f, loc, what);
		return;
	}
	emit_line(&f->o, "u32 t%u = stp_embed_%s(c, %s);", ++f->ntmp, p->name, addr);
	gen_check(f, loc, what);
	emit_open(&f->o, "if (t%u)", f->ntmp);
	gen_next(f);
	emit_close(&f->o);
}

void gen_embed_func(struct fn *f)
{
	struct func *fu = f->func;
	struct piece p = { gen_text(f, "f_%s", fu->cname ? fu->cname : fu->name), fu->code, fu->code_loc, fu, fu->type, false };
	const char *addr, *at;

	put_accessors(f, fu->body ? fu->body->expr : NULL);
	put_piece(f, &p);
	account_globals(f, fu->body ? fu->body->expr : NULL);
	declare_piece(f, &p);
	at = put_args(f, &p, fu->loc, &addr);
	put_params(f, fu, at);
	if (fu->type == TY_STRING)
		emit_line(&f->o, "*%s__retvalue = 0;", at);
	else if (fu->type == TY_LONG && in_scratch(fu, fu->type))
		emit_line(&f->o, "%s__retvalue = 0;", at);
	put_call(f, &p, addr, fu->loc, gen_text(f, "identifier '%s'", fu->name));
	if (fu->type == TY_STRING)
		emit_line(&f->o, "ret = stp_embed_view(%s__retvalue, %u);", at, f->g->maxstr);
	else if (fu->type == TY_LONG)
		emit_line(&f->o, "ret = %s__retvalue;", at);
}

/* One function serves all copies that were made of the text (aliases, probe points). */
static struct piece find_piece(struct fn *f, struct expr *e, const char *code, bool is_expr)
{
	char *key = g_strdup_printf("embed %d %p %u %u %u", is_expr, (void *)e->loc.src, e->loc.line, e->loc.col,
	                            g_str_hash(code));
	unsigned id = GPOINTER_TO_UINT(g_hash_table_lookup(f->g->interned, key));
	struct piece p = { NULL, code, e->loc, NULL, is_expr ? e->type : TY_VOID, is_expr };

	if (id) {
		g_free(key);
		p.name = gen_text(f, "%u", id);
		return p;
	}
	id = ++f->g->nconst;
	g_hash_table_insert(f->g->interned, key, GUINT_TO_POINTER(id));
	p.name = gen_text(f, "%u", id);
	put_accessors(f, e);
	put_piece(f, &p);
	return p;
}

void gen_embed_stmt(struct fn *f, struct stmt *st)
{
	struct piece p = find_piece(f, st->expr, st->code, false);

	account_globals(f, st->expr);
	declare_piece(f, &p);
	put_call(f, &p, "NULL", st->loc, "embedded C");
}

struct val gen_embed_expr(struct fn *f, struct expr *e)
{
	struct piece p = find_piece(f, e, e->str, true);
	const char *addr, *at;

	account_globals(f, e);
	declare_piece(f, &p);
	at = put_args(f, &p, e->loc, &addr);
	put_call(f, &p, addr, e->loc, "embedded C");
	if (e->type != TY_STRING)
		return gen_long_tmp(f, gen_text(f, "%s__retvalue", at));
	return gen_str_tmp(f, gen_text(f, "stp_embed_view(%s__retvalue, %u)", at, f->g->maxstr), NULL);
}

/* ---- the file ---- */

void gen_embed_init(struct gen *g)
{
	g->embed = g_string_new(NULL);
	g->embed_head = g_string_new(NULL);
	g->access = g_string_new(NULL);
	g->accessible = g_hash_table_new(NULL, NULL);
}

void gen_embed_free(struct gen *g)
{
	g_string_free(g->embed, TRUE);
	g_string_free(g->embed_head, TRUE);
	g_string_free(g->access, TRUE);
	g_hash_table_destroy(g->accessible);
}

int gen_embed_write(struct gen *g)
{
	struct session *s = g->s;
	GString *out;
	GError *err = NULL;

	s->embed_c_file = NULL;
	if (!s->embeds->len && !g->embed->len)
		return 0;
	out = g_string_new("/* Generated by stap " STAP_VERSION ": the script's embedded C. */\n#include <stp_embed.h>\n");
	g_string_append_printf(out, "#undef MAXSTRINGLEN\n#define MAXSTRINGLEN %u\n", g->maxstr);
	g_string_append(out, g->embed_head->str);
	g_string_append(out, "#define __stp_leave goto out\n");
	for (guint i = 0; i < s->embeds->len; i++) {
		struct stmt *st = s->embeds->pdata[i];

		put_code(out, st->code, st->loc);
		g_string_append_c(out, '\n');
	}
	g_string_append(out, "#line 1 \"<embedded C>\"\n#undef __stp_leave\n#define __stp_leave return\n");
	g_string_append(out, g->embed->str);
	s->embed_c_file = arena_printf(s, "%s/stap_embed.c", session_tmpdir(s));
	if (!g_file_set_contents(s->embed_c_file, out->str, (gssize)out->len, &err)) {
		diag_error(s, (struct loc){ NULL, 0, 0, 0 }, "write", "%s", err->message);
		g_error_free(err);
		s->embed_c_file = NULL;
	}
	g_string_free(out, TRUE);
	return s->embed_c_file ? 0 : -1;
}
