/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Context variables of function probes: parameters and the result, from the function's prototype.  In
 * return probes a parameter is what it was at entry: it is evaluated there and kept for the return.
 */
#include "syscall_params.h"
#include "target.h"
#include "dwarf_scope.h"

#include <string.h>

static bool at_return(const struct probe *p)
{
	const struct func_context *fc = p->priv;

	return p->attach == ATTACH_RETURN && !fc->at_entry;
}

/* The function's prototype, or NULL after an error that says why there is none. */
static const struct ctype *prototype(struct session *s, const struct probe *p, struct loc loc)
{
	const struct func_context *fc = p->priv;
	const char *why = fc->module ? fc->module->problem : NULL;

	if (fc->func.proto)
		return fc->func.proto;
	if (fc->func.nprotos > 1)
		diag_error(s, loc, "ambiguous-function", "%u functions are called '%s' and have different parameters: "
			   "which one is meant needs debuginfo", fc->func.nprotos, fc->func.name);
	else
		diag_error(s, loc, "no-prototype", fc->module && !types_btf(fc->module) ? "the parameters of '%s' are not known: it is not in the "
			   "debug information, and there is no BTF%s%s%s" :
			   "the parameters of '%s' are not known: it is not in the kernel's BTF%s%s%s", fc->func.name,
			   why ? " (" : "", why ? why : "", why ? ")" : "");
	return NULL;
}

/* Keeps a word from the entry: its number in p->saved. */
struct expr *func_save(struct session *s, struct probe *p, struct expr *e)
{
	struct expr *ret = expr_new(s, EX_SAVED, e->loc), **more;
	size_t i;

	for (i = 0; i < p->nsaved && !lowered_same(p->saved[i], e); i++)
		;
	if (i == p->nsaved) {
		more = arena_alloc(s, sizeof(*more) * (p->nsaved + 1));
		if (p->nsaved)
			memcpy(more, p->saved, sizeof(*more) * p->nsaved);
		more[p->nsaved++] = e;
		p->saved = more;
	}
	ret->num = i;
	ret->type = e->type;
	ret->ctype = e->ctype;
	return ret;
}

static bool parameter_place(struct session *s, struct probe *p, const struct ctype *proto, size_t i,
			    struct loc loc, struct place *ret)
{
	size_t n;
	const struct ctype_param *params = ctype_params(proto, &n);
	struct arg_loc *at = g_new0(struct arg_loc, n);
	struct func_context *fc = p->priv;
	bool ok;

	abi_args(proto, at, n);
	*ret = (struct place){ .type = params[i].type, .module = fc->module,
		.what = arena_printf(s, "$%s", params[i].name) };
	ok = abi_entry_place(s, &at[i], ret, loc) == 0;
	g_free(at);
	return ok;
}

static void save_pieces(struct session *s, struct probe *p, struct place *at)
{
	struct place_piece *piece = arena_alloc(s, sizeof(*piece) * at->npieces);

	memcpy(piece, at->piece, sizeof(*piece) * at->npieces);
	for (unsigned i = 0; i < at->npieces; i++) {
		if (piece[i].word && piece[i].word->kind != EX_NUM)
			piece[i].word = func_save(s, p, piece[i].word);
		if (piece[i].base)
			piece[i].base = func_save(s, p, piece[i].base);
	}
	at->piece = piece;
}

/* An array or struct that the caller put on the stack, and that is small enough to be kept as a whole: the function may change it. */
static bool save_stack(struct session *s, struct probe *p, struct place *at)
{
	enum { REG_SP = 152, MOST = 64 };
	uint64_t size = ctype_size(at->type);
	struct loc loc = at->base->loc;
	struct place_piece *piece;
	size_t n = 0;

	if (at->base->kind != EX_CTXVAL || at->base->ctxval != CTX_REG || at->base->num != REG_SP || at->bit_size || !size || size > MOST)
		return false;
	piece = arena_alloc(s, sizeof(*piece) * MOST);
	for (uint64_t i = 0, len; i < size; i += len) {
		for (len = 8; len > size - i; len /= 2)
			;
		piece[n++] = (struct place_piece){ .bits = len * 8, .word = func_save(s, p, lowered_load(s, lowered_binary(s, OP_ADD, at->base,
				lowered_num(s, at->offset + (int64_t)i, loc), loc), len, false, at->user, loc)) };
	}
	at->piece = piece;
	at->npieces = n;
	at->base = NULL;
	at->offset = 0;
	return true;
}

/* Turns the registers of a place into words kept from the entry. */
void func_save_place(struct session *s, struct probe *p, struct place *at)
{
	for (unsigned i = 0; i < at->nwords; i++)
		if (at->word[i]->kind != EX_NUM)
			at->word[i] = func_save(s, p, at->word[i]);
	if (at->npieces)
		save_pieces(s, p, at);
	if (place_in_words(at) || !at->base)
		return;
	if (!ctype_is_aggregate(at->type) && ctype_strip(at->type, NULL)->kind != CTYPE_ARRAY && ctype_size(at->type) <= 8) {
		/* a stack argument: its word */
		at->word[0] = func_save(s, p, lowered_load(s, lowered_binary(s, OP_ADD, at->base,
				lowered_num(s, at->offset, at->base->loc), at->base->loc), 8, false, at->user, at->base->loc));
		at->nwords = 1;
		at->base = NULL;
		at->offset = 0;
	} else if (!save_stack(s, p, at)) {
		at->base = func_save(s, p, at->base);
	}
}

/* An element whose number is known when the probe is hit: of what is in memory alone. */
static bool has_open_index(const struct expr *e)
{
	for (size_t i = 0; i < e->ncomps; i++)
		if (e->comps[i].kind == COMP_INDEX && e->comps[i].index->kind != EX_NUM)
			return true;
	return false;
}

/* Whether the whole expression can be evaluated at entry: nothing in it but the parameter and constants. */
static bool is_fixed(const struct expr *e)
{
	for (size_t i = 0; i < e->ncomps; i++) {
		if (e->comps[i].kind == COMP_PRETTY || e->comps[i].kind == COMP_PRETTY_DEEP)
			return false;
		if (e->comps[i].kind == COMP_INDEX && e->comps[i].index->kind != EX_NUM)
			return false;
	}
	return true;
}

/* A parameter in a return probe. */
struct expr *func_saved_place(struct session *s, struct probe *p, struct place *at, struct expr *e)
{
	struct expr *root = at->nwords == 1 ? at->word[0] : NULL, *value, *cond;

	if (!is_fixed(e) || e->ncomps == 0) {
		if (at->base && (has_open_index(e) || e->addrof))
			at->base = func_save(s, p, at->base);
		else
			func_save_place(s, p, at);
		return place_apply(s, at, e, false);
	}
	value = place_apply(s, at, e, false);
	if (!value || !root || value->kind != EX_LOAD)
		return value ? func_save(s, p, value) : NULL;
	/* the handler may well look at the pointer before it follows it: NULL is no error at entry */
	cond = expr_new(s, EX_COND, e->loc);
	cond->type = TY_LONG;
	cond->a = expr_copy(s, root);
	cond->b = value;
	cond->c = lowered_num(s, 0, e->loc);
	cond->ctype = value->ctype;
	return func_save(s, p, cond);
}

static struct expr *return_value(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	const struct ctype *proto = prototype(s, p, e->loc);
	struct func_context *fc = p->priv;
	struct place at;

	if (!proto)
		return NULL;
	if (!at_return(p)) {
		diag_error(s, e->loc, "no-value", fc->at_entry ? "there is no $return yet at the function's entry" :
			   "$return exists in .return probes only");
		return NULL;
	}
	at = (struct place){ .type = proto->to, .module = fc->module, .what = "$return" };
	if (abi_return_place(s, &at, e->loc))
		return NULL;
	return place_apply(s, &at, e, lvalue);
}

/* $$parms, $$vars, $$locals, $$return */
static struct expr *all_variables(struct session *s, struct probe *p, struct expr *e)
{
	struct func_context *fc = p->priv;
	const struct ctype *proto = fc->func.proto;
	bool parms = strcmp(e->name, "$$parms") == 0 || strcmp(e->name, "$$vars") == 0;
	bool result = strcmp(e->name, "$$return") == 0 && at_return(p);
	struct place *places;
	const char **names;
	size_t n = 0, nparams;
	const struct ctype_param *params;
	struct expr *ret;

	/* a handler on many functions is not refused because a few of them have unknown parameters */
	if (!proto)
		return expr_str(s, "?", e->loc);
	params = ctype_params(proto, &nparams);
	places = g_new0(struct place, nparams + 1);
	names = g_new0(const char *, nparams + 1);
	for (size_t i = 0; parms && i < nparams; i++) {
		struct diag_capture *cap = diag_capture_begin(s);

		if (!parameter_place(s, p, proto, i, e->loc, &places[n]))
			places[n].nwords = 0, places[n].base = NULL;
		else if (at_return(p))
			func_save_place(s, p, &places[n]);
		diag_capture_end(s, cap, false);
		names[n++] = *params[i].name ? params[i].name : "?";
	}
	if (result && ctype_strip(proto->to, NULL)->kind != CTYPE_VOID) {
		places[n] = (struct place){ .type = proto->to, .module = fc->module, .what = "$return" };
		if (abi_return_place(s, &places[n], e->loc) == 0)
			names[n++] = "return";
	}
	ret = pretty_list(s, places, names, n, e->loc, e);
	g_free(places);
	g_free(names);
	return ret;
}

static struct expr *unknown_parameter(struct session *s, struct probe *p, const struct ctype *proto, struct expr *e)
{
	const struct func_context *fc = p->priv;
	GPtrArray *names = g_ptr_array_new();
	size_t n;
	const struct ctype_param *params = ctype_params(proto, &n);

	for (size_t i = 0; i < n; i++)
		if (*params[i].name)
			g_ptr_array_add(names, arena_printf(s, "$%s", params[i].name));
	if (at_return(p) && ctype_strip(proto->to, NULL)->kind != CTYPE_VOID)
		g_ptr_array_add(names, "$return");
	target_unknown(s, e, arena_printf(s, "function '%s' has no parameter", fc->func.name), names);
	if (n == 1 && syscall_param_list(fc->func.name))
		diag_help(s, "the system call's parameters are: %s", syscall_param_list(fc->func.name));
	diag_help(s, "local variables need debuginfo");
	g_ptr_array_free(names, TRUE);
	return NULL;
}

static struct expr *entry_value(struct session *s, struct probe *p, struct expr *e)
{
	struct func_context *fc = p->priv;
	struct expr *value = e->a;
	int rc;

	if (p->attach != ATTACH_RETURN || fc->at_entry) {
		diag_error(s, e->loc, "misplaced-entry", "@entry() has a meaning in .return probes only");
		return NULL;
	}
	fc->at_entry = true;
	rc = target_lower_expr(s, p, &value);
	fc->at_entry = false;
	return rc ? NULL : func_save(s, p, value);
}

/* What debug information knows of the function, if it is at hand. */
static struct dwarf_scope *debug_scope(struct session *s, struct probe *p)
{
	struct func_context *fc = p->priv;

	if (!fc->scope_asked)
		fc->scope = dwarf_function_scope(s, fc->module->name, fc->func.name, p->attach == ATTACH_RETURN);
	fc->scope_asked = true;
	if (fc->scope)
		fc->scope->at_entry = fc->at_entry;
	return fc->scope;
}

static bool has_parameter(const struct ctype *proto, const char *name)
{
	size_t n;
	const struct ctype_param *params = ctype_params(proto, &n);

	for (size_t i = 0; i < n; i++)
		if (*params[i].name && strcmp(params[i].name, name) == 0)
			return true;
	return false;
}

/* BTF comes first: names that it does not have, and functions with several prototypes, are left to debug information. */
static bool is_beyond_btf(const struct func_context *fc, const struct expr *e)
{
	int bits;

	if (!fc->func.proto)
		return true;
	return e->name[1] != '$' && strcmp(e->name, "$return") != 0 && !has_parameter(fc->func.proto, e->name + 1) &&
	       !syscall_param(fc->func.name, e->name + 1, &bits);
}

/* A system call's own parameter, by its name: the entry point has it in the registers that its one parameter points to. */
static struct expr *syscall_parameter(struct session *s, struct probe *p, const struct ctype_param *params, size_t n,
				      struct expr *e, bool lvalue)
{
	const struct func_context *fc = p->priv;
	struct expr *at, *value;
	struct comp *member;
	int bits;
	const char *reg = n == 1 ? syscall_param(fc->func.name, e->name + 1, &bits) : NULL;

	if (!reg || e->ncomps || e->addrof)
		return NULL;
	member = arena_alloc(s, sizeof(*member));
	*member = (struct comp){ .kind = COMP_MEMBER, .loc = e->loc, .name = reg };
	at = expr_new(s, EX_TARGET, e->loc);
	at->name = arena_printf(s, "$%s", params[0].name);
	at->comps = member;
	at->ncomps = 1;
	value = func_target(s, p, at, lvalue);
	if (!value || lvalue || bits == 64)
		return value;
	if (bits == 32)
		return lowered_binary(s, OP_AND, value, lowered_num(s, 0xffffffff, e->loc), e->loc);
	value = lowered_binary(s, OP_SHL, value, lowered_num(s, 32, e->loc), e->loc);
	return lowered_binary(s, OP_SHR, value, lowered_num(s, 32, e->loc), e->loc);
}

/* All entry points of system calls have one prototype; some are known by their symbols alone. */
static void complete_syscall(struct func_context *fc)
{
	struct cfunc f;

	if (!fc->func.proto && !fc->func.nprotos && fc->module && g_str_has_prefix(fc->func.name, "__x64_sys_") &&
	    types_func(fc->module, "__x64_sys_close", &f))
		fc->func.proto = f.proto;
}

struct expr *func_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	const struct ctype *proto;
	const struct ctype_param *params;
	struct place at;
	struct expr *value;
	size_t n;

	complete_syscall(p->priv);
	if (e->kind == EX_ENTRY)
		return entry_value(s, p, e);
	if (is_beyond_btf(p->priv, e) && debug_scope(s, p))
		return dwarf_target(s, p, debug_scope(s, p), e, lvalue);
	if (strcmp(e->name, "$return") == 0)
		return return_value(s, p, e, lvalue);
	if (strcmp(e->name, "$$parms") == 0 || strcmp(e->name, "$$vars") == 0 ||
	    strcmp(e->name, "$$locals") == 0 || strcmp(e->name, "$$return") == 0)
		return all_variables(s, p, e);
	proto = prototype(s, p, e->loc);
	if (!proto)
		return NULL;
	params = ctype_params(proto, &n);
	for (size_t i = 0; i < n; i++) {
		if (!*params[i].name || strcmp(params[i].name, e->name + 1) != 0)
			continue;
		if (!parameter_place(s, p, proto, i, e->loc, &at))
			return NULL;
		if (at_return(p) && lvalue) {
			diag_error(s, e->loc, "not-assignable", "%s is what it was at the function's entry: it cannot be written to",
				   target_text(s, e));
			return NULL;
		}
		return at_return(p) ? func_saved_place(s, p, &at, e) : place_apply(s, &at, e, lvalue);
	}
	value = syscall_parameter(s, p, params, n, e, lvalue);
	return value ? value : unknown_parameter(s, p, proto, e);
}

/* "unsigned int fd, char *buf", which the runtime finds in the registers that a system call's function is given. */
static void put_syscall_params(const char *list, GString *out)
{
	while (list && *list) {
		size_t len = strcspn(list, ","), name = len, type;

		while (name && (g_ascii_isalnum(list[name - 1]) || list[name - 1] == '_'))
			name--;
		for (type = name; type && list[type - 1] == ' ';)
			type--;
		g_string_append_printf(out, " $%.*s:", (int)(len - name), list + name);
		for (size_t i = 0; i < type; i++)
			if (list[i] != ' ' || list[i + 1] != '*') /* as other types are printed: char* */
				g_string_append_c(out, list[i]);
		list += len;
		list += strspn(list, ", ");
	}
}

void func_vars(struct session *s, struct probe *p, GString *out)
{
	const struct func_context *fc = p->priv;
	const struct ctype *proto = fc ? fc->func.proto : NULL;
	const struct ctype_param *params;
	size_t n;

	if (!proto)
		return;
	if (p->attach == ATTACH_RETURN && ctype_strip(proto->to, NULL)->kind != CTYPE_VOID) {
		g_string_append(out, " $return:");
		ctype_print(out, proto->to);
	}
	params = ctype_params(proto, &n);
	for (size_t i = 0; i < n; i++) {
		if (!*params[i].name)
			continue;
		g_string_append_printf(out, " $%s:", params[i].name);
		ctype_print(out, params[i].type);
	}
	if (n == 1)
		put_syscall_params(syscall_param_list(fc->func.name), out);
}
