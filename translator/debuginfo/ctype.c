/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C types of the target: questions that are the same whatever the types were read from. */
#include "ctype.h"
#include "type_source.h"

#include <string.h>

#define MAX_CHAIN 64  /* typedefs and qualifiers on one type; more is damaged data */
#define MAX_NESTING 16 /* anonymous structs in anonymous structs */

const struct ctype ctype_void = { .kind = CTYPE_VOID, .name = "void", .complete = true };

const struct ctype *ctype_strip(const struct ctype *t, bool *user)
{
	for (int i = 0; i < MAX_CHAIN; i++) {
		switch (t->kind) {
		case CTYPE_USER:
			if (user)
				*user = true;
			/* fall through */
		case CTYPE_TYPEDEF:
		case CTYPE_CONST:
		case CTYPE_VOLATILE:
		case CTYPE_RESTRICT:
		case CTYPE_ATOMIC:
			t = t->to;
			break;
		default:
			return t;
		}
	}
	return &ctype_void;
}

static void complete(const struct ctype *t)
{
	/* the source made the node and may fill it late: constness is for everybody else */
	if (!t->complete)
		t->source->ops->complete(t->source, (struct ctype *)t);
}

const struct ctype_member *ctype_members(const struct ctype *t, size_t *n)
{
	complete(t);
	*n = t->nmembers;
	return t->members;
}

const struct ctype_param *ctype_params(const struct ctype *t, size_t *n)
{
	complete(t);
	*n = t->nparams;
	return t->params;
}

uint64_t ctype_size(const struct ctype *t)
{
	return ctype_strip(t, NULL)->size;
}

bool ctype_is_aggregate(const struct ctype *t)
{
	t = ctype_strip(t, NULL);
	return t->kind == CTYPE_STRUCT || t->kind == CTYPE_UNION;
}

bool ctype_is_char(const struct ctype *t)
{
	t = ctype_strip(t, NULL);
	return t->kind == CTYPE_INT && t->size == 1 && t->is_char;
}

static const struct ctype *find_member(const struct ctype *t, const char *name, uint64_t *bit_offset,
				       uint32_t *bit_size, int depth)
{
	const struct ctype_member *m;
	size_t n;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING || !ctype_is_aggregate(t))
		return NULL;
	m = ctype_members(t, &n);
	for (size_t i = 0; i < n; i++) {
		const struct ctype *inner;

		if (*m[i].name) {
			if (strcmp(m[i].name, name) != 0)
				continue;
			*bit_offset = m[i].bit_offset;
			*bit_size = m[i].bit_size;
			return m[i].type;
		}
		inner = find_member(m[i].type, name, bit_offset, bit_size, depth + 1);
		if (inner) {
			*bit_offset += m[i].bit_offset;
			return inner;
		}
	}
	return NULL;
}

const struct ctype *ctype_find_member(const struct ctype *t, const char *name, uint64_t *bit_offset, uint32_t *bit_size)
{
	return *name ? find_member(t, name, bit_offset, bit_size, 0) : NULL;
}

static void member_names(const struct ctype *t, GPtrArray *names, int depth)
{
	const struct ctype_member *m;
	size_t n;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING || !ctype_is_aggregate(t))
		return;
	m = ctype_members(t, &n);
	for (size_t i = 0; i < n; i++) {
		if (*m[i].name)
			g_ptr_array_add(names, (char *)m[i].name);
		else
			member_names(m[i].type, names, depth + 1);
	}
}

void ctype_member_names(const struct ctype *t, GPtrArray *names)
{
	member_names(t, names, 0);
}

static uint64_t align(const struct ctype *t, int depth)
{
	const struct ctype_member *m;
	uint64_t ret = 1;
	size_t n;

	t = ctype_strip(t, NULL);
	if (depth > MAX_NESTING)
		return 1;
	switch (t->kind) {
	case CTYPE_ARRAY:
		return align(t->to, depth + 1);
	case CTYPE_STRUCT:
	case CTYPE_UNION:
		m = ctype_members(t, &n);
		for (size_t i = 0; i < n; i++)
			ret = MAX(ret, align(m[i].type, depth + 1));
		return ret;
	default:
		return t->size ? t->size : 1;
	}
}

uint64_t ctype_align(const struct ctype *t)
{
	return align(t, 0);
}

static void print_type(GString *out, const struct ctype *t, int depth)
{
	size_t n;
	const struct ctype_param *p;

	if (depth > MAX_CHAIN) {
		g_string_append(out, "?");
		return;
	}
	switch (t->kind) {
	case CTYPE_VOID:
		g_string_append(out, "void");
		break;
	case CTYPE_PTR:
		print_type(out, t->to, depth + 1);
		g_string_append_c(out, t->is_reference ? '&' : '*');
		break;
	case CTYPE_CONST:
		print_type(out, t->to, depth + 1);
		g_string_append(out, " const");
		break;
	case CTYPE_VOLATILE:
		print_type(out, t->to, depth + 1);
		g_string_append(out, " volatile");
		break;
	case CTYPE_ATOMIC:
		print_type(out, t->to, depth + 1);
		g_string_append(out, " _Atomic");
		break;
	case CTYPE_RESTRICT:
	case CTYPE_USER:
		print_type(out, t->to, depth + 1);
		break;
	case CTYPE_ARRAY:
		print_type(out, t->to, depth + 1);
		if (t->count)
			g_string_append_printf(out, "[%" G_GUINT64_FORMAT "]", t->count);
		else
			g_string_append(out, "[]");
		break;
	case CTYPE_FUNC:
		print_type(out, t->to, depth + 1);
		p = ctype_params(t, &n);
		g_string_append_c(out, '(');
		for (size_t i = 0; i < n; i++) {
			if (i)
				g_string_append(out, ", ");
			print_type(out, p[i].type, depth + 1);
		}
		g_string_append(out, t->variadic ? (n ? ", ...)" : "...)") : ")");
		break;
	case CTYPE_STRUCT:
	case CTYPE_UNION:
	case CTYPE_ENUM:
	case CTYPE_FWD:
		g_string_append(out, t->kind == CTYPE_ENUM ? "enum " :
				t->kind == CTYPE_UNION || t->was_union ? "union " : "struct ");
		g_string_append(out, *t->name ? t->name : "{...}");
		break;
	default:
		g_string_append(out, *t->name ? t->name : "?");
	}
}

void ctype_print(GString *out, const struct ctype *t)
{
	print_type(out, t, 0);
}
