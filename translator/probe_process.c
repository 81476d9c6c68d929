/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes of user programs: process("PATH"), process(PID), process("BUILD-ID") or process alone, perhaps with
 * .library("NAME"), and then what is probed: functions, statements, marks, linkage stubs, events.
 */
#include <string.h>

#include "dwarf_scope.h"
#include "name_glob.h"
#include "probe_process.h"
#include "target.h"
#include "user_path.h"

static bool process_match(const struct point *p)
{
	return point_has(p, 0, "process");
}

/* ---- objects ---- */

static void add_object(GArray *list, struct user_elf *elf, struct user_elf *program, int pid)
{
	struct user_object o = { .elf = elf, .program = program, .pid = pid };

	g_array_append_val(list, o);
}

static int add_programs(struct session *s, const struct point *p, bool task, GArray *list)
{
	const struct point_comp *c = &p->comps[0];
	struct user_elf *ue;
	GPtrArray *programs;

	if (c->arg && c->arg->kind == EX_STR) {
		programs = user_programs(s, c->arg->str, c->arg->loc);
		for (guint i = 0; programs && i < programs->len; i++)
			add_object(list, programs->pdata[i], NULL, 0);
		if (programs)
			g_ptr_array_free(programs, TRUE);
		return programs ? 0 : -1;
	}
	if (c->arg && (c->arg->num <= 0 || c->arg->num > INT32_MAX))
		return diag_error(s, c->arg->loc, "point-argument", "%lld is no number of a process", (long long)c->arg->num);
	if (task) {
		add_object(list, NULL, NULL, c->arg ? (int)c->arg->num : 0);
		return 0;
	}
	ue = c->arg ? user_process_program(s, (int)c->arg->num, c->arg->loc) : user_target_program(s, point_text(s, p), c->loc);
	if (!ue)
		return -1;
	add_object(list, ue, NULL, c->arg ? (int)c->arg->num : 0);
	return 0;
}

/* .library("NAME") behind it: the libraries of each program take its place. */
static int add_libraries(struct session *s, const struct point *p, GArray *list)
{
	const char *name = point_string(s, p, 1);
	guint n = list->len;
	int rc = -1;

	for (guint i = 0; name && i < n; i++) {
		struct user_object o = g_array_index(list, struct user_object, i);
		struct diag_capture *cap = n > 1 ? diag_capture_begin(s) : NULL; /* not all programs of a pattern have it */
		GPtrArray *libs = user_libraries(s, o.elf, name, p->comps[1].arg->loc);

		for (guint k = 0; libs && k < libs->len; k++)
			add_object(list, libs->pdata[k], o.elf, o.pid);
		if (libs) {
			rc = 0;
			g_ptr_array_free(libs, TRUE);
		}
		if (cap)
			diag_capture_end(s, cap, false);
	}
	g_array_remove_range(list, 0, n);
	if (rc && name && n > 1)
		diag_error(s, p->comps[1].loc, "no-library", "no program that matches has a library '%s'", name);
	return rc;
}

/*
 * Reads the components of `p` up to the word that says what is probed: *next is its index.  Returns the
 * objects (struct user_object; to be freed), or NULL after diag_error.  `task`: bare `process` means every program.
 */
static GArray *user_objects(struct session *s, const struct point *p, bool task, size_t *next)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct user_object));
	bool library = point_has(p, 1, "library");
	int rc = add_programs(s, p, task && !library, list);

	*next = library ? 2 : 1;
	if (!rc && library)
		rc = add_libraries(s, p, list);
	if (!rc)
		return list;
	g_array_free(list, TRUE);
	return NULL;
}

/* ---- probes ---- */

struct probe *user_probe_new(struct user_point *up, const struct user_object *o, enum attach_kind attach, const char *rest)
{
	struct session *s = up->s;
	struct probe *p = probe_new(s, &provider_process, up->p, attach);
	struct user_context *ctx = arena_alloc(s, sizeof(*ctx));

	ctx->object = *o;
	p->priv = ctx;
	p->point = arena_printf(s, "%s%s", user_object_text(s, o), rest);
	return p;
}

/* `rest` with the name in the place of its mark; in lists such that it means this name alone (C++'s operator*) when it is given back. */
static const char *named(struct session *s, const char *rest, const char *name)
{
	const char *mark = strchr(rest, '\001'), *ret = rest;
	char *quoted = s->opt.list ? name_glob_quote(name) : NULL;

	if (mark)
		ret = arena_printf(s, "%.*s%s%s", (int)(mark - rest), rest, quoted ? quoted : name, mark + 1);
	g_free(quoted);
	return ret;
}

/* At a function's entry: is the return address one of those?  They move with the program as the instruction does. */
static struct expr *called_from(struct session *s, const struct probe *p, const struct user_place *place)
{
	enum { REG_IP = 128, REG_SP = 152 }; /* offsets in struct pt_regs */
	struct expr *all = NULL;

	for (size_t i = 0; i < place->ncallers; i++) {
		struct expr *ret = lowered_load(s, lowered_reg(s, REG_SP, p->loc), 8, false, true, p->loc), *is, *either;

		is = lowered_binary(s, OP_EQ, lowered_binary(s, OP_SUB, ret, lowered_reg(s, REG_IP, p->loc), p->loc),
				    lowered_num(s, (int64_t)(place->callers[i] - place->addr), p->loc), p->loc);
		either = all ? expr_new(s, EX_LOGOR, p->loc) : is;
		if (all) {
			either->type = TY_LONG;
			either->a = all;
			either->b = is;
		}
		all = either;
	}
	return all;
}

static void add_context(struct session *s, struct probe *p, const struct user_place *place, bool is_return)
{
	struct user_context *ctx = p->priv;

	ctx->name = place->name;
	p->condition = called_from(s, p, place);
	if (!place->file)
		return;
	ctx->scope = arena_alloc(s, sizeof(*ctx->scope));
	*ctx->scope = (struct dwarf_scope){ .file = place->file, .die = place->die, .cu = place->cu, .pc = place->addr, .user = true, .is_return = is_return };
}

/*
 * Code that is jumped to: at its start the stack has no return address, and a return probe would overwrite what is there (the
 * program's argument count, at _start).
 */
static bool never_returns(const char *name)
{
	static const char *const names[] = { "_start", "_dl_start_user", "_dl_runtime_resolve", "_dl_runtime_profile", "__restore_rt",
		"__start_context" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (name && g_str_has_prefix(name, names[i]) && (!name[strlen(names[i])] || i == 2 || i == 3))
			return true;
	return false;
}

/* What keeps its return address for a later jump there: it would keep the return probe's, when that is long over. */
static bool returns_again(const char *name)
{
	static const char *const names[] = { "setjmp", "sigsetjmp", "getcontext", "swapcontext" };

	if (name && g_str_has_prefix(name, "__GI_")) /* libc's own calls of it */
		name += strlen("__GI_");
	name = name ? name + strspn(name, "_") : "";
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_has_prefix(name, names[i]) && strchr("@", name[strlen(names[i])]))
			return true;
	return false;
}

/* Leaves out the places that `leaves_out` tells of; how many are left. */
static size_t places_without(struct user_point *up, const struct user_object *o, struct user_place **places, size_t n,
			     bool (*leaves_out)(const struct user_object *o, const struct user_place *place))
{
	struct user_place *kept = arena_alloc(up->s, sizeof(*kept) * (n + 1));
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!leaves_out(o, &(*places)[i]))
			kept[k++] = (*places)[i];
	*places = kept;
	return k;
}

/* Would a return probe break it? */
static bool has_no_return(const struct user_object *o, const struct user_place *place)
{
	return never_returns(place->name) || returns_again(place->name);
}

static bool is_mistaken_nop(const struct user_object *o, const struct user_place *place)
{
	return user_is_mistaken_nop(o->elf, place->addr);
}

/* Leaves out instructions that the kernel would not execute, with one warning for all; how many places are left, 0 after diag_error. */
static size_t only_bearing(struct user_point *up, const struct user_object *o, struct user_place **places, size_t n)
{
	const char *why = "the kernel takes the instruction there (xchg %r8, %rax) for a nop, and the program would go on with wrong registers";
	struct user_place *all = *places;
	size_t k = places_without(up, o, places, n, is_mistaken_nop), i = 0;
	const char *first;

	if (k == n)
		return k;
	while (!is_mistaken_nop(o, &all[i]))
		i++;
	first = arena_printf(up->s, "'%.*s' of %s%s", (int)strcspn(all[i].name, "@"), all[i].name, o->elf->path,
			     n - k > 1 ? arena_printf(up->s, " and %zu more", n - k - 1) : "");
	if (k)
		diag_warning(up->s, up->p->loc, "mistaken-nop", "%s is left out: %s", first, why);
	else
		diag_error(up->s, up->p->loc, "mistaken-nop", "%s cannot be probed: %s", first, why);
	return k;
}

static int error_no_return(struct user_point *up, const struct user_object *o, const char *name)
{
	if (returns_again(name))
		return diag_error(up->s, up->p->loc, "returns-again", "'%s' of %s can have no return probe: it keeps its return address "
				  "for a later jump, and would keep the probe's", name, o->elf->path);
	return diag_error(up->s, up->p->loc, "never-returns", "'%s' of %s does not return: it is jumped to, and where other functions "
			  "find their return address it has something else", name, o->elf->path);
}

static int add_places(struct user_point *up, const struct user_object *o, enum attach_kind attach, const struct user_place *places, size_t n,
		      const char *rest, int64_t maxactive, bool at_returns)
{
	struct probe *p = user_probe_new(up, o, attach, rest);

	p->maxactive = maxactive;
	p->at_returns = at_returns;
	p->goroutines = at_returns && user_moves_stacks(o->elf);
	p->jumps_out = at_returns && user_jumps_out(places, n);
	add_context(up->s, p, &places[0], attach == ATTACH_URETURN);
	if (user_probe_places(up->s, p, o, places, n, up->p->optional))
		return -1;
	g_ptr_array_add(up->out, p);
	return 0;
}

/*
 * Return probes at return instructions: of all that can be found (`must`), a probe a function where the handler has variables, else
 * one for all.  Without `must` the functions that are left for the kernel's return probes stay in *places: in C libraries also
 * those that end in another library, as calloc() does in memset(), whose result would not be seen.  One that never returns is left
 * out: all that ever leaves it is an exception, which a return probe of the kernel's would turn into the program's end.
 */
static int add_at_returns(struct user_point *up, const struct user_object *o, struct user_place **places, size_t *n, const char *rest,
			  int64_t maxactive, bool must)
{
	struct diag_capture *cap = must && *n > 1 ? diag_capture_begin(up->s) : NULL; /* of many, those that can be probed */
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct user_place));
	size_t left = 0, count = 0;
	int rc = 0;

	for (size_t i = 0; i < *n && !rc; i++) {
		struct user_place place = (*places)[i];
		size_t k;
		bool never;
		struct user_place *sites = user_return_places(up, o, &place, must, &k, &never);

		if (never && *n == 1)
			rc = diag_error(up->s, up->p->loc, "never-returns", "'%s' of %s never returns: it has no return instruction, and jumps to no "
					"other function", place.name, o->elf->path);
		if (never)
			continue;
		if (sites && !must && user_jumps_out(sites, k) && !user_throws(o->elf))
			sites = NULL;
		if (!sites)
			(*places)[left++] = place;
		else if (up->uses_target)
			rc = add_places(up, o, ATTACH_URETURN, sites, k, named(up->s, rest, place.name), maxactive, true);
		else
			g_array_append_vals(all, sites, k);
		count += sites != NULL;
	}
	if (cap)
		diag_capture_end(up->s, cap, !count);
	if (all->len && !rc)
		rc = add_places(up, o, ATTACH_URETURN, (struct user_place *)(void *)all->data, all->len,
				count == 1 ? named(up->s, rest, g_array_index(all, struct user_place, 0).name) : rest, maxactive, true);
	g_array_free(all, TRUE);
	*n = left;
	return rc ? -1 : (int)count;
}

/* Places that count only when certain calls lead to them; inlined instances among a function's callees always do. */
static bool any_callers(const struct user_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (places[i].ncallers)
			return true;
	return false;
}

int user_add_probes(struct user_point *up, const struct user_object *o, enum attach_kind attach, const struct user_place *all,
		    size_t n, const char *rest, int64_t maxactive)
{
	struct user_place *places = (struct user_place *)all;
	int count = 0;
	size_t step;

	n = only_bearing(up, o, &places, n);
	if (!n)
		return -1;
	if (attach == ATTACH_URETURN) {
		n = places_without(up, o, &places, n, has_no_return);
		if (!n)
			return error_no_return(up, o, all[0].name);
	}
	if (attach == ATTACH_URETURN) {
		bool must = up->at_returns || user_moves_stacks(o->elf);

		if (must || user_has_exceptions(o->elf))
			count = add_at_returns(up, o, &places, &n, rest, maxactive, must);
		if (count < 0 || must)
			return count > 0 ? count : -1;
	}
	if (!n)
		return count;
	step = up->uses_target || any_callers(places, n) ? 1 : n;
	for (size_t i = 0; i < n; i += step)
		if (add_places(up, o, attach, places + i, step, step == 1 ? named(up->s, rest, places[i].name) : rest, maxactive, false))
			return -1;
	return count + n;
}

/* ---- words ---- */

static const struct {
	const char *word;
	int (*derive)(struct user_point *up, const struct user_object *o);
} words[] = {
	{ "function", user_derive_function },
	{ "statement", user_derive_statement },
	{ "mark", user_derive_mark },
	{ "provider", user_derive_mark },
	{ "plt", user_derive_plt },
	{ "data", user_derive_data },
};

static bool is_task_word(const struct point *p, size_t at)
{
	static const char *const task_words[] = { "begin", "end", "thread", "syscall" };

	if (point_has(p, at, "vma"))
		return true;

	for (size_t i = 0; i < G_N_ELEMENTS(task_words); i++)
		if (point_has(p, 1, task_words[i]))
			return true;
	return false;
}

static int error_word(struct user_point *up)
{
	static const char *const known[] = { "function", "statement", "mark", "provider", "plt", "data", "library", "begin", "end",
		"thread", "syscall", "vma", NULL };
	const struct point *p = up->p;

	if (up->at >= p->ncomps)
		return diag_error(up->s, p->loc, "unknown-probe-point", "'%s' is no probe point by itself: say what of it, for instance "
				  ".function(\"main\")", point_text(up->s, p));
	return point_unknown(up->s, p, up->at, known);
}

/* All objects; one that has nothing is no matter when others have. */
static int derive_all(struct user_point *up, GArray *objects, int (*derive)(struct user_point *up, const struct user_object *o))
{
	int total = 0;

	for (guint i = 0; i < objects->len; i++) {
		struct diag_capture *cap = objects->len > 1 ? diag_capture_begin(up->s) : NULL;
		int n = derive(up, &g_array_index(objects, struct user_object, i));

		if (cap)
			diag_capture_end(up->s, cap, false);
		total += n > 0 ? n : 0;
	}
	if (!total && objects->len > 1)
		return diag_error(up->s, up->p->loc, "no-match", "nothing matches in any of the %u programs or libraries", objects->len);
	return total ? 0 : -1;
}

static int process_derive(struct session *s, struct probe_decl *d, struct point *p, bool uses_target, GPtrArray *out)
{
	struct user_point up = { .s = s, .p = p, .at = point_has(p, 1, "library") ? 2 : 1, .uses_target = uses_target, .out = out };
	int (*derive)(struct user_point *up, const struct user_object *o) = NULL;
	bool task = is_task_word(p, up.at);
	GArray *objects;
	int rc;

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (point_has(p, up.at, words[i].word))
			derive = words[i].derive;
	if (!derive && !task)
		return error_word(&up);
	objects = user_objects(s, p, task, &up.at);
	if (!objects)
		return -1;
	if (point_has(p, up.at, "vma"))
		rc = user_derive_vma(&up, objects);
	else
		rc = task ? user_derive_task(&up, objects) : derive_all(&up, objects, derive);
	g_array_free(objects, TRUE);
	return rc;
}

/* ---- context variables ---- */

/* Without variables there is nothing in it that differs between entry and return but what functions tell. */
static struct expr *entry_value(struct session *s, struct probe *p, struct expr *e)
{
	struct expr *value = e->a;

	if (p->attach != ATTACH_URETURN) {
		diag_error(s, e->loc, "misplaced-entry", "@entry() has a meaning in .return probes only");
		return NULL;
	}
	return target_lower_expr(s, p, &value) ? NULL : func_save(s, p, value);
}

static struct expr *process_target(struct session *s, struct probe *p, struct expr *e, bool lvalue)
{
	struct user_context *ctx = p->priv;

	if (p->attach == ATTACH_TASK)
		return user_task_target(s, p, e, lvalue);
	if (p->attach == ATTACH_VMA)
		return user_vma_target(s, p, e, lvalue);
	if (ctx->mark || ctx->plt)
		return user_mark_target(s, p, e, lvalue);
	if (ctx->data)
		return user_data_target(s, p, e, lvalue);
	/* of 32-bit programs variables are not known, but @entry(int_arg(1)) is no variable */
	if (ctx->scope && !(e->kind == EX_ENTRY && ctx->object.elf->is_32bit))
		return dwarf_target(s, p, ctx->scope, e, lvalue);
	if (e->kind == EX_ENTRY)
		return entry_value(s, p, e);
	diag_error(s, e->loc, "needs-debuginfo", "%s: the variables of %s are not known, it has no debug information",
		   e->name, ctx->object.elf->path);
	diag_help(s, "compile it with -g, or install its debug symbols; %s reads %s by position",
		  p->attach == ATTACH_URETURN ? "returnval()" : "int_arg(1), pointer_arg(1) ...",
		  p->attach == ATTACH_URETURN ? "the result" : "arguments");
	return NULL;
}

static void process_vars(struct session *s, struct probe *p, GString *out)
{
	struct user_context *ctx = p->priv;

	if (p->attach == ATTACH_TASK)
		user_task_vars(s, p, out);
	else if (p->attach == ATTACH_VMA)
		user_vma_vars(s, p, out);
	else if (ctx->mark || ctx->plt)
		user_mark_vars(s, p, out);
	else if (ctx->data)
		user_data_vars(out);
	else if (ctx->scope)
		dwarf_vars(s, p, ctx->scope, out);
}

static struct dwarf_scope *process_scope(struct probe *p)
{
	struct user_context *ctx = p->priv;

	return ctx->scope;
}

static const char *const process_patterns[] = {
	"process{,(STRING),(NUMBER)}{,.library(STRING)}.function(STRING){,.call,.exported,.inline,.return,.return.instruction,"
	".return.maxactive(NUMBER),.label(STRING),.callee(STRING),.callees,.callees(NUMBER)}",
	"process{,(STRING),(NUMBER)}{,.library(STRING)}.{function(NUMBER),statement(NUMBER)}",
	"process{,(STRING),(NUMBER)}{,.library(STRING)}.statement(STRING){,.nearest}",
	"process(NUMBER).statement(NUMBER).absolute",
	"process{,(STRING),(NUMBER)}{,.library(STRING)}.{mark(STRING),provider(STRING).mark(STRING)}",
	"process{,(STRING),(NUMBER)}{,.library(STRING)}.plt{,(STRING)}{,.return}",
	"process{,(STRING),(NUMBER)}{,.library(STRING)}.data{(STRING),(NUMBER)}{,.length(NUMBER)}.{write,rw}",
	"process(NUMBER).data(NUMBER).absolute{,.length(NUMBER)}.{write,rw}",
	"process{,(STRING),(NUMBER)}.{begin,end,thread.begin,thread.end,syscall,syscall.return}",
	"process{,(STRING),(NUMBER)}.vma.{map,unmap,protect,move}", NULL
};

const struct provider provider_process = {
	.name = "process",
	.match = process_match,
	.derive = process_derive,
	.target = process_target,
	.vars = process_vars,
	.scope = process_scope,
	.patterns = process_patterns,
};
