/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Global variables, and the tables that tell the runtime what the module is made of. */
#include "debuginfo/types.h"
#include "define.h"
#include "kernel_lines.h"
#include "gen.h"
#include "user_site.h"

#include <string.h>

/* ---- globals ---- */

static bool literal_init(const struct expr *e, int64_t *num, const struct expr **str)
{
	*num = 0;
	*str = NULL;
	if (!e)
		return false;
	if (e->kind == EX_UNARY && e->a && e->a->kind == EX_NUM) {
		*num = e->op == OP_NEG ? (int64_t)(0 - (uint64_t)e->a->num) : e->op == OP_BITNOT ? ~e->a->num :
		       e->op == OP_NOT ? !e->a->num : e->a->num;
		return true;
	}
	if (e->kind == EX_STR)
		*str = e;
	*num = e->num;
	return e->kind == EX_NUM || e->kind == EX_STR;
}

static void put_global(struct gen *g, GString *out, const struct var *v)
{
	const char *name = var_cname(v);
	const struct expr *str;
	int64_t num;
	bool init = literal_init(v->init, &num, &str);

	if (v->arity > 0) {
		g_string_append_printf(out, "static struct stp_map *g_%s;\n", name);
	} else if (v->type == TY_STATS) {
		g_string_append_printf(out, "static struct stp_stat *g_%s;\n", name);
	} else if (v->type == TY_STRING) {
		g_string_append_printf(out, "static STP_BUF(g_%s, %u)", name, g->maxstr);
		if (str && str->len) {
			size_t len = MIN(str->len, g->maxstr - 1);

			g_string_append_printf(out, " = { %zu, ", len);
			emit_c_string(out, str->str, len);
			g_string_append(out, " }");
		}
		g_string_append(out, ";\n");
	} else {
		g_string_append_printf(out, "static s64 g_%s", name);
		if (init && num) {
			g_string_append(out, " = ");
			emit_c_number(out, num);
		}
		g_string_append(out, ";\n");
	}
}

void gen_globals(struct gen *g, GString *out)
{
	for (unsigned i = 0; g->s->globals && i < g->s->globals->len; i++)
		put_global(g, out, g_ptr_array_index(g->s->globals, i));
	if (g->s->globals && g->s->globals->len)
		g_string_append_c(out, '\n');
}

static const char *kind_of(const struct var *v)
{
	if (v->arity > 0)
		return "STP_G_MAP";
	return v->type == TY_STATS ? "STP_G_STATS" : v->type == TY_STRING ? "STP_G_STRING" : "STP_G_LONG";
}

static char type_letter(enum type t)
{
	return t == TY_STRING ? 's' : t == TY_STATS ? 'x' : 'l';
}

static void put_global_row(struct gen *g, GString *out, const struct var *v)
{
	char keys[MAX_KEYS + 1] = "";
	int64_t limit = v->maxsize;

	for (int i = 0; i < v->arity; i++)
		keys[i] = type_letter(v->key[i]);
	if (v->arity > 0 && v->wrap && !limit)
		limit = g->maxmapentries ? g->maxmapentries : 2048;
	g_string_append_printf(out, "\t{ .name = \"%s\", .kind = %s, .var = &g_%s", v->name, kind_of(v), var_cname(v));
	if (v->arity > 0)
		g_string_append_printf(out, ", .value = '%c', .wrap = %d, .keys = \"%s\", .limit = %lld", type_letter(v->type),
		                       v->wrap, keys, (long long)limit);
	if (v->type == TY_STATS)
		g_string_append_printf(out, ", .stat = &stat_%u", gen_statdesc(g, v));
	g_string_append(out, " },\n");
}

/* Is there one that can be set from the command line? */
static bool global_is_settable(struct gen *g)
{
	for (unsigned i = 0; g->s->globals && i < g->s->globals->len; i++) {
		const struct var *v = g_ptr_array_index(g->s->globals, i);

		if (v->arity == 0 && v->type != TY_STATS)
			return true;
	}
	return false;
}

static unsigned put_globals_table(struct gen *g, GString *out)
{
	unsigned n = g->s->globals ? g->s->globals->len : 0;

	if (!n)
		return 0;
	g_string_append(out, "static const struct stp_global globals[] = {\n");
	for (unsigned i = 0; i < n; i++)
		put_global_row(g, out, g_ptr_array_index(g->s->globals, i));
	g_string_append(out, "};\n\n");
	return n;
}

/* ---- probes ---- */

static const char *const kinds[] = {
	[ATTACH_BEGIN] = "STP_BEGIN", [ATTACH_END] = "STP_END", [ATTACH_ERROR] = "STP_ERROR", [ATTACH_NEVER] = "STP_NEVER",
	[ATTACH_TIMER] = "STP_TIMER", [ATTACH_PROFILE] = "STP_PROFILE", [ATTACH_ENTRY] = "STP_ENTRY",
	[ATTACH_RETURN] = "STP_RETURN", [ATTACH_TRACEPOINT] = "STP_TRACEPOINT", [ATTACH_ADDRESS] = "STP_ADDRESS",
	[ATTACH_PROCFS] = "STP_PROCFS", [ATTACH_DATA] = "STP_DATA",
	[ATTACH_INPUT] = "STP_INPUT", [ATTACH_NETFILTER] = "STP_NETFILTER",
	[ATTACH_UPROBE] = "STP_UPROBE", [ATTACH_URETURN] = "STP_URETURN", [ATTACH_TASK] = "STP_TASK",
	[ATTACH_UDATA] = "STP_UDATA",
	[ATTACH_VMA] = "STP_VMA",
	[ATTACH_PERF] = "STP_PERF", [ATTACH_PERF_TASK] = "STP_PERF_TASK",
};

/* Hooks of the runtime, by kind; NULL: none needed. */
static const char *const hooks[] = {
	[ATTACH_TIMER] = "timer", [ATTACH_PROFILE] = "profile", [ATTACH_ENTRY] = "entry", [ATTACH_RETURN] = "return",
	[ATTACH_TRACEPOINT] = "tracepoint", [ATTACH_ADDRESS] = "address", [ATTACH_PROCFS] = "procfs",
	[ATTACH_DATA] = "data", [ATTACH_INPUT] = "input",
	[ATTACH_NETFILTER] = "netfilter", [ATTACH_PERF] = "perf", [ATTACH_PERF_TASK] = "perf_task",
	[ATTACH_UPROBE] = "uprobe", [ATTACH_URETURN] = "uprobe", [ATTACH_TASK] = "task", [ATTACH_UDATA] = "udata",
	[ATTACH_VMA] = "vma",
};

static void put_flags(GString *out, const struct probe *p, const struct probe_row *row)
{
	bool optional = p->nsites > 0 || p->nuser > 0;

	for (size_t i = 0; i < p->nuser; i++)
		for (size_t k = 0; k < p->user[i].nsites; k++)
			optional = optional && p->user[i].sites[k].optional;
	for (size_t i = 0; i < p->nsites; i++)
		optional = optional && p->sites[i].optional;
	g_string_append_printf(out, ", .flags = %s%s%s0", row->regs ? "STP_NEED_REGS | " : "",
	                       optional ? "STP_OPTIONAL | " : "", row->leaf ? "STP_LEAF | " : row->restart ? "STP_RESTART | " : "");
	if (p->wild && optional)
		g_string_append(out, " | STP_WILD");
	if (p->at_returns)
		g_string_append(out, p->goroutines ? " | STP_AT_RETURNS | STP_GOROUTINES" : " | STP_AT_RETURNS");
}

/* stap -t: around the handler of each probe, a function that takes its time. */
static void put_timed(struct gen *g, GString *out)
{
	g_string_append_printf(out, "static struct stp_time times[%u];\n", g->s->probes->len);
	for (unsigned i = 0; i < g->s->probes->len; i++) {
		const struct probe_row *row = g_ptr_array_index(g->rows, i);

		g_string_append_printf(out, "static void timed_%u(struct stp_ctx *c)\n{\n\tu64 start = stp_cycles();\n\n\t%s(c);\n"
		                       "\tstp_time_add(&times[%u], stp_cycles() - start);\n}\n", i, row->handler, i);
	}
	g_string_append_c(out, '\n');
}

static void put_handler(struct gen *g, GString *out, const struct probe_row *row, unsigned index)
{
	if (g->s->opt.timing)
		g_string_append_printf(out, "\t{ .handler = timed_%u", index);
	else
		g_string_append_printf(out, "\t{ .handler = %s", row->handler);
}

static void put_probe(struct gen *g, GString *out, const struct probe *p, const struct probe_row *row, unsigned index)
{
	int64_t arg = p->attach == ATTACH_RETURN || p->attach == ATTACH_URETURN ? p->maxactive : p->arg;

	put_handler(g, out, row, index);
	if (row->entry)
		g_string_append_printf(out, ", .entry = %s, .save_words = %zu", row->entry, gen_saved_words(g, p));
	if (row->condition)
		g_string_append_printf(out, ", .condition = %s", row->condition);
	g_string_append(out, ", .point = ");
	emit_c_string(out, p->point, strlen(p->point));
	if (g->uses_names && p->name) {
		g_string_append(out, ", .name = ");
		emit_c_string(out, p->name, strlen(p->name));
	}
	if (p->target) {
		g_string_append(out, ", .target = ");
		emit_c_string(out, p->target, strlen(p->target));
		g_string_append_printf(out, ", .nargs = %u", p->ntpargs);
	}
	if (p->sub)
		g_string_append_printf(out, ", .sub = %u", p->sub);
	if (arg) {
		g_string_append(out, ", .arg = ");
		emit_c_number(out, arg);
	}
	if (p->arg2)
		g_string_append_printf(out, ", .arg2 = %lldLL", (long long)p->arg2);
	g_string_append_printf(out, ", .kind = %s", kinds[p->attach]);
	put_flags(out, p, row);
	g_string_append_printf(out, ", .loc = %u },\n", row->loc);
}

static void put_probes(struct gen *g, GString *out)
{
	if (g->s->opt.timing && g->s->probes->len)
		put_timed(g, out);
	g_string_append(out, "static const struct stp_probe probes[] = {\n");
	for (unsigned i = 0; i < g->s->probes->len; i++)
		put_probe(g, out, g_ptr_array_index(g->s->probes, i), g_ptr_array_index(g->rows, i), i);
	g_string_append(out, "};\n\n");
}

static bool any_module_site(struct gen *g)
{
	for (unsigned i = 0; i < g->s->probes->len; i++) {
		const struct probe *p = g_ptr_array_index(g->s->probes, i);

		for (size_t k = 0; k < p->nsites; k++)
			if (p->sites[k].module)
				return true;
	}
	return false;
}

static bool any_module_address(struct gen *g)
{
	const GPtrArray *list = g->s->addresses;

	for (guint i = 0; list && i < list->len; i++)
		if (((const struct address *)list->pdata[i])->anchor)
			return true;
	return false;
}

/* What the kernel calls at hits of uprobes. Of a program's probes one row says it as well as another. */
static void put_wanted_uprobes(struct gen *g, GString *out)
{
	enum { PLAIN, LEAF, RESTART, RETURN, RETURN_INSN, RETURN_RESTART, COUNT };
	static const char *const names[COUNT] = { "stp_uprobe_fn", "stp_uprobe_leaf_fn", "stp_uprobe_restart_fn", "stp_ureturn_fn",
						  "stp_ureturn_insn_fn", "stp_user_hit_restart" };
	bool wanted[COUNT] = { false };

	for (unsigned i = 0; i < g->s->probes->len; i++) {
		const struct probe_row *row = g_ptr_array_index(g->rows, i);
		const struct probe *p = g_ptr_array_index(g->s->probes, i);
		bool restart = row->restart && !row->leaf;

		if (p->attach == ATTACH_UPROBE)
			wanted[restart ? RESTART : row->leaf && !row->condition ? LEAF : PLAIN] = true;
		if (p->attach != ATTACH_URETURN)
			continue;
		wanted[p->at_returns ? RETURN_INSN : RETURN] = true;
		wanted[RETURN_RESTART] |= restart;
	}
	for (unsigned i = 0; i < COUNT; i++)
		if (wanted[i])
			g_string_append_printf(out, "asm(\".globl %s\");\n", names[i]);
}

#define ENTRY_SINGLE_MAX 6 /* STP_ENTRY_SINGLE_MAX of runtime/abi/stp.h */

/* What is called at function entries, and what tells of wildcards, of which the module gets those that are named. */
static void put_wanted_parts(struct gen *g, GString *out)
{
	unsigned entries = 0, leaves = 0;
	bool wild = false;

	for (unsigned i = 0; i < g->s->probes->len; i++) {
		const struct probe_row *row = g_ptr_array_index(g->rows, i);

		wild |= ((const struct probe *)g_ptr_array_index(g->s->probes, i))->wild;
		if (((const struct probe *)g_ptr_array_index(g->s->probes, i))->attach != ATTACH_ENTRY)
			continue;
		entries++;
		leaves += row->leaf && !row->condition;
	}
	if (leaves)
		g_string_append(out, "asm(\".globl stp_entry_leaf_fn\");\n");
	if (leaves < entries)
		g_string_append(out, "asm(\".globl stp_entry_fn\");\n");
	if (wild)
		g_string_append(out, "asm(\".globl stp_sites_report\");\n");
	if (entries > ENTRY_SINGLE_MAX)
		g_string_append(out, "asm(\".globl stp_entry_attach_shared\");\n");
	put_wanted_uprobes(g, out);
}

/* Watchpoints that follow a library. */
static bool any_library_data(struct gen *g)
{
	for (unsigned i = 0; i < g->s->probes->len; i++) {
		const struct probe *p = g_ptr_array_index(g->s->probes, i);

		if (p->attach == ATTACH_UDATA && p->arg2 == 2 /* UDATA_LIBRARY */)
			return true;
	}
	return false;
}

/*
 * Does the module need system calls to tell of mappings: because it was asked for, or because the kernel lacks a function that
 * runtime/module/umap_probe.c could watch?  Of mremap() one is always there, the system call itself.  A kernel without types may lack any.
 */
static bool wants_vma_syscalls(struct gen *g)
{
	static const char *const unmap[] = { "do_vmi_align_munmap", "do_mas_align_munmap", "__vm_munmap" };
	struct types_module *kernel;
	struct cfunc fn;
	bool unmaps = false;

	if (g->vma_strategy != VMA_BY_ANY)
		return g->vma_strategy == VMA_BY_SYSCALL;
	kernel = types_module(session_types(g->s), NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(unmap); i++)
		unmaps = unmaps || types_func(kernel, unmap[i], &fn);
	return !unmaps || !types_func(kernel, "perf_event_mmap", &fn);
}

static void put_hooks(struct gen *g, GString *out)
{
	bool wanted[G_N_ELEMENTS(hooks)] = { false };

	for (unsigned i = 0; i < g->s->probes->len; i++)
		wanted[((struct probe *)g_ptr_array_index(g->s->probes, i))->attach] = true;
	if (wanted[ATTACH_VMA] && !g_ptr_array_find_with_equal_func(g->hooks, "umap", g_str_equal, NULL))
		g_ptr_array_add(g->hooks, (char *)"umap"); /* what it is told by */
	if (wanted[ATTACH_UPROBE])
		wanted[ATTACH_URETURN] = false; /* the same hook */
	g_string_append(out, "const struct stp_hook *const stp_hooks[] = { ");
	for (unsigned i = 0; i < G_N_ELEMENTS(hooks); i++)
		if (wanted[i] && hooks[i])
			g_string_append_printf(out, "&stp_hook_%s, ", hooks[i]);
	if (any_library_data(g)) {
		g_string_append(out, "&stp_hook_udata_lib, ");
		gen_hook(g, "umap"); /* what it is told by */
	}
	if (any_module_address(g))
		g_string_append(out, "&stp_hook_addresses, ");
	if (any_module_site(g))
		g_string_append(out, "&stp_hook_modules, ");
	for (unsigned i = 0; i < g->hooks->len; i++)
		g_string_append_printf(out, "&stp_hook_%s, ", (char *)g_ptr_array_index(g->hooks, i));
	g_string_append(out, "NULL };\n\n");
	if (g_ptr_array_find_with_equal_func(g->hooks, "umap", g_str_equal, NULL) && wants_vma_syscalls(g))
		g_string_append(out, "asm(\".globl stp_umap_syscall_on\");\n"); /* and is not linked else */
}

/* ---- sites ---- */

static char site_letter(enum attach_kind kind)
{
	return kind == ATTACH_ENTRY ? 'e' : kind == ATTACH_RETURN ? 'r' : kind == ATTACH_DATA ? 'd' : 'a';
}

static const char *site_module(const struct site *site)
{
	return site->module ? site->module : "vmlinux";
}

/* The build that sites of a module rest on, once a module. */
static void put_build(GString *out, const struct site *site, GHashTable *told)
{
	if (g_hash_table_add(told, (gpointer)site_module(site)))
		g_string_append_printf(out, "\t\".ascii \\\"build %s %s\\\\n\\\"\\n\"\n", site_module(site), site->build_id);
}

static void put_site(GString *out, unsigned index, const struct probe *p, const struct site *site, bool one_build)
{
	g_string_append_printf(out, "\t\".ascii \\\"%u %c %s ", index, site_letter(p->attach), site_module(site));
	if (site->symbol)
		g_string_append_printf(out, "%s+0x%llx", site->symbol, (unsigned long long)site->offset);
	else
		g_string_append_printf(out, "0x%llx", (unsigned long long)site->offset);
	g_string_append_printf(out, " %d\\\\n\\\"\\n\"\n", (site->optional ? 1 : 0) | (one_build ? 2 : 0) | (site->clones ? 4 : 0) |
	                       (site->untraceable ? 8 : 0) | (site->of_wildcard ? 16 : 0));
}

/* Text for the loader, in a section that is not loaded. */
static void put_sites(struct gen *g, GString *out)
{
	GHashTable *told = g_hash_table_new(g_str_hash, g_str_equal);
	bool any = false, check = !define_is_given(g->s, "STP_NO_BUILDID_CHECK");

	for (unsigned i = 0; i < g->s->probes->len; i++) {
		struct probe *p = g_ptr_array_index(g->s->probes, i);

		if (p->nsites && !any)
			g_string_append(out, "asm(\".pushsection .stap_sites, \\\"\\\", @progbits\\n\"\n");
		any |= p->nsites > 0;
		for (size_t k = 0; k < p->nsites; k++) {
			bool one_build = check && p->sites[k].build_id;

			if (one_build)
				put_build(out, &p->sites[k], told);
			put_site(out, i, p, &p->sites[k], one_build);
		}
	}
	if (any)
		g_string_append(out, "\t\".popsection\\n\");\n\n");
	g_hash_table_destroy(told);
}

/* Those in modules are found by the runtime when the module arrives. */
static void put_module_addresses(struct gen *g, GString *out)
{
	const GPtrArray *list = g->s->addresses;

	g_string_append(out, "const struct stp_module_address stp_module_addresses[] = {\n");
	for (guint i = 0; i < list->len; i++) {
		const struct address *a = list->pdata[i];

		if (a->anchor)
			g_string_append_printf(out, "\t{ %u, \"%s\", \"%s\", %lld, \"%s\" },\n", i, a->module, a->anchor,
			                       (long long)a->from_anchor, a->build_id ? a->build_id : "");
	}
	g_string_append(out, "\t{ 0 }\n};\n");
}

/* Addresses of data for the loader to find: their slots, and text as above. */
static void put_addresses(struct gen *g, GString *out)
{
	const GPtrArray *list = g->s->addresses;
	GHashTable *told;

	if (!list || !list->len)
		return;
	if (any_module_address(g))
		put_module_addresses(g, out);
	told = g_hash_table_new(g_str_hash, g_str_equal);
	g_string_append(out, "struct stp_address stp_address_list[] = {\n");
	for (unsigned i = 0; i < list->len; i++) {
		const struct address *a = list->pdata[i];

		g_string_append(out, "\t{ 0, ");
		emit_c_string(out, a->what, strlen(a->what));
		g_string_append(out, " },\n");
	}
	g_string_append_printf(out, "};\nconst u32 stp_naddresses = %u;\n"
	                       "asm(\".pushsection .stap_addresses, \\\"\\\", @progbits\\n\"\n", list->len);
	for (unsigned i = 0; i < list->len; i++) {
		const struct address *a = list->pdata[i];
		const char *module = a->module ? a->module : "vmlinux";

		if (a->build_id && g_hash_table_add(told, (gpointer)module))
			g_string_append_printf(out, "\t\".asciz \\\"build %s %s\\\"\\n\"\n", module, a->build_id);
		g_string_append_printf(out, "\t\".asciz \\\"%s %s+0x%llx\\\"\\n\"\n", module, a->symbol,
		                       (unsigned long long)a->offset);
	}
	g_hash_table_destroy(told);
	g_string_append(out, "\t\".popsection\\n\");\n\n");
}

/* ---- the rest ---- */

static void put_positions(struct gen *g, GString *out)
{
	g_string_append(out, "static const struct stp_pos positions[] = {\n");
	for (unsigned i = 0; i < g->positions->len; i++)
		g_string_append_printf(out, "\t%s,\n", (char *)g_ptr_array_index(g->positions, i));
	g_string_append(out, "};\n\n");
}

void gen_tables(struct gen *g, GString *out)
{
	unsigned nglobals;

	put_positions(g, out);
	nglobals = put_globals_table(g, out);
	put_probes(g, out);
	put_wanted_parts(g, out);
	put_hooks(g, out);
	put_sites(g, out);
	put_addresses(g, out);
	if (g_ptr_array_find_with_equal_func(g->hooks, "lines", g_str_equal, NULL))
		kernel_lines_emit(g->s, out);
	user_sites_emit(g->s, out);
	gen_config(g, out);
	g_string_append_printf(out, "const struct stp_script stp_script = {\n\t.abi = STP_ABI, .nprobes = %u, .nglobals = %u, "
	                       ".npositions = %u, .nlocks = %d,\n\t.probes = probes, %s.positions = positions, "
	                       ".config = &config,%s\n};\n", g->s->probes->len, nglobals, g->positions->len, g->s->nlocks,
	                       !nglobals ? "" : global_is_settable(g) ?
	                       ".globals = globals, .globals_ops = &stp_globals_ops, .set_global = stp_global_set, " :
	                       ".globals = globals, .globals_ops = &stp_globals_ops, ",
	                       g->s->opt.timing && g->s->probes->len ? " .times = times," : "");
}
