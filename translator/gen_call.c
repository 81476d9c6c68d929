/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls: script functions, and functions that the runtime implements. */
#include "gen.h"

#include <string.h>

static const char *c_type(enum type t)
{
	return t == TY_STRING ? "struct stp_str" : t == TY_LONG ? "s64" : "void";
}

static const char *args_text(struct fn *f, const struct val *v, size_t n)
{
	const char *t = "";

	for (size_t i = 0; i < n; i++)
		t = gen_text(f, "%s, %s", t, v[i].c);
	return t;
}

static bool has_task_probes(struct gen *g)
{
	for (guint i = 0; i < g->s->probes->len; i++) {
		enum attach_kind attach = ((struct probe *)g->s->probes->pdata[i])->attach;

		if (attach == ATTACH_TASK || attach == ATTACH_VMA)
			return true;
	}
	return false;
}

/*
 * The entry point: functions about the current task have a second one, which a script with probes of task events uses:
 * there the task that the event is about takes the current one's place.
 */
static const char *runtime_name(struct gen *g, const struct func *fu)
{
	static const char *const about_task[] = { "fn_task_current", "fn_pid", "fn_tid", "fn_execname", "fn_ppid", "fn_pexecname",
		"fn_pgrp", "fn_sid", "fn_uid", "fn_euid", "fn_gid", "fn_egid" };

	for (size_t i = 0; i < G_N_ELEMENTS(about_task); i++)
		if (!strcmp(fu->runtime, about_task[i]))
			return has_task_probes(g) ? arena_printf(g->s, "subject_%s", fu->runtime + 3) : fu->runtime;
	return fu->runtime;
}

static void declare_runtime(struct gen *g, const struct func *fu)
{
	GString *t = g_string_new(NULL);

	g_string_append_printf(t, "%s stp_%s(struct stp_ctx *c", c_type(fu->type), runtime_name(g, fu));
	for (size_t i = 0; i < fu->nparams; i++)
		g_string_append_printf(t, ", %s %s%s", c_type(fu->params[i]->type), "p_", var_cname(fu->params[i]));
	g_string_append(t, ");");
	gen_declare(g, t->str);
	g_string_free(t, TRUE);
	if (fu->hook)
		gen_hook(g, fu->hook);
}

/* Names whose implementations look at all registers. */
static bool wants_registers(const struct func *fu)
{
	return strstr(fu->runtime, "reg") || strstr(fu->runtime, "backtrace") || strstr(fu->runtime, "stack");
}

static struct val call_runtime(struct fn *f, struct expr *e, struct val *v, bool want)
{
	struct func *fu = e->func;
	const char *text = gen_text(f, "stp_%s(c%s)", runtime_name(f->g, fu), args_text(f, v, e->nargs));
	struct val val = val_num(f, 0);

	declare_runtime(f->g, fu);
	f->leaf &= fu->pure;
	f->regs |= wants_registers(fu);
	f->matches |= gen_regex_asks(fu);
	f->tokens |= !strcmp(fu->runtime, "fn_tokenize");
	f->g->uses_names |= !strcmp(fu->runtime, "fn_pn");
	if (fu->type == TY_STRING)
		gen_scratch(f, 0);
	if (strstr(fu->runtime, "backtrace") || strstr(fu->runtime, "stack") || strstr(fu->runtime, "callers"))
		gen_scratch(f, 8 * (size_t)f->g->maxbacktrace);
	if (fu->pure && fu->nofail && (fu->type == TY_LONG || fu->type == TY_STRING)) {
		val = val_text(fu->type, text); /* may wait, or not happen at all */
		val.atom = val.call = true;
		for (size_t i = 0; i < e->nargs; i++)
			val.reads = reads_join(f, val.reads, v[i].reads);
		return val;
	}
	if (!want || (fu->type != TY_LONG && fu->type != TY_STRING))
		emit_line(&f->o, "%s;", text);
	else if (fu->type == TY_STRING) /* may be a part of an argument */
		val = gen_str_tmp(f, text, NULL);
	else
		val = gen_long_tmp(f, text);
	for (size_t i = 0; fu->type == TY_STRING && i < e->nargs; i++)
		if (v[i].type == TY_STRING)
			val.reads = reads_join(f, val.reads, v[i].reads);
	if (!fu->nofail)
		gen_check(f, e->loc, expr_what(f, e));
	return val;
}

void gen_tokens_begin(struct fn *f, size_t at)
{
	if (!f->tokens)
		return;
	gen_declare(f->g, "void stp_tokens_forget(struct stp_ctx *c);");
	g_string_insert(f->o.text, (gssize)at, "\tstp_tokens_forget(c);\n");
}

/* What a string result may be a view of: the callee's globals, and what the arguments are views of. */
static struct reads *result_reads(struct fn *f, struct fninfo *info, const struct val *v, size_t n)
{
	struct reads *reads = NULL;
	GHashTableIter it;
	gpointer key;

	for (size_t i = 0; i < n; i++)
		if (v[i].type == TY_STRING)
			reads = reads_join(f, reads, v[i].reads);
	g_hash_table_iter_init(&it, info->effects);
	while (g_hash_table_iter_next(&it, &key, NULL)) {
		struct var *var = key;

		if (var->type == TY_STRING || var->arity > 0)
			reads = reads_add(f, reads, var);
	}
	return reads;
}

/* The callee must not pull a view away from under its own parameter. */
static void hold_for_callee(struct fn *f, struct fninfo *info, struct val *v, struct loc loc)
{
	if (v->type != TY_STRING)
		return;
	for (struct reads *r = v->reads; r; r = r->next) {
		if (GPOINTER_TO_UINT(g_hash_table_lookup(info->effects, r->var)) & (EFF_WRITE | EFF_SHRINK)) {
			gen_keep(f, v, loc);
			return;
		}
	}
}

static void note_callee(struct fn *f, struct fninfo *info)
{
	f->cost += info->cost;
	f->regs |= info->regs;
	f->matches |= info->matches;
	f->tokens |= info->tokens;
	f->leaf = false;
	f->max_bytes = MAX(f->max_bytes, f->bytes + info->need);
	f->uses_scratch |= info->uses_scratch;
}

static struct val call_script(struct fn *f, struct expr *e, struct val *v, bool want)
{
	struct func *fu = e->func;
	struct fninfo *info = gen_info(f->g, fu);
	bool fails, has_value = fu->type == TY_LONG || fu->type == TY_STRING;
	struct val val = val_num(f, 0);
	const char *text;

	if (info->state == FN_NEW)
		gen_func(f->g, fu);
	fails = info->state == FN_BUSY || info->fails;
	for (size_t i = 0; i < e->nargs; i++)
		hold_for_callee(f, info, &v[i], e->loc);
	note_callee(f, info);
	text = gen_text(f, "f_%s(c%s)", fu->cname ? fu->cname : fu->name, args_text(f, v, e->nargs));
	if (!want || !has_value) {
		emit_line(&f->o, "%s;", text);
	} else if (fu->type == TY_LONG) {
		val = gen_long_tmp(f, text);
	} else {
		val = gen_str_tmp(f, text, result_reads(f, info, v, e->nargs));
	}
	if (fu->type == TY_STRING)
		gen_scratch(f, 0);
	if (fails)
		gen_check_passed(f);
	return val;
}

struct val gen_call(struct fn *f, struct expr *e, bool want)
{
	struct val *v, val;

	if (!e->func) {
		gen_error(f, e->loc, "unknown-function", "unknown function '%s'", e->name);
		return val_num(f, 0);
	}
	v = g_new0(struct val, e->nargs + 1);
	gen_list(f, e->args, e->nargs, v);
	if (e->func->runtime) {
		val = call_runtime(f, e, v, want);
	} else {
		val = call_script(f, e, v, want);
	}
	g_free(v);
	return val;
}
