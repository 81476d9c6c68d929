/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of functions by their calls (call_order.h): what calls nothing is taken away until nothing more goes. */
#include "call_order.h"

struct graph {
	struct call_node *nodes;
	size_t n;
	GHashTable *index;     /* func to number + 1 */
	GArray **callers;      /* size_t, once for each call */
	size_t *pending;       /* calls to functions still there */
};

/* The number + 1 of a callee, 0 when it is no node. */
static size_t node_of(const struct graph *g, const struct func *f)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(g->index, f));
}

static void graph_init(struct graph *g, struct call_node *nodes, size_t n)
{
	*g = (struct graph){ nodes, n, g_hash_table_new(NULL, NULL), g_new0(GArray *, n), g_new0(size_t, n) };
	for (size_t i = 0; i < n; i++) {
		g_hash_table_insert(g->index, nodes[i].func, GSIZE_TO_POINTER(i + 1));
		g->callers[i] = g_array_new(FALSE, FALSE, sizeof(size_t));
		nodes[i].height = 0;
		nodes[i].recursive = false;
	}
	for (size_t i = 0; i < n; i++)
		for (guint k = 0; k < nodes[i].callees->len; k++) {
			size_t callee = node_of(g, nodes[i].callees->pdata[k]);

			if (!callee)
				continue;
			g_array_append_val(g->callers[callee - 1], i);
			g->pending[i]++;
		}
}

static void graph_free(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		g_array_free(g->callers[i], TRUE);
	g_free(g->callers);
	g_free(g->pending);
	g_hash_table_destroy(g->index);
}

/* Takes away one after the other what calls nothing that is still there. */
static void peel(struct graph *g, GPtrArray *order)
{
	GArray *ready = g_array_new(FALSE, FALSE, sizeof(size_t));

	for (size_t i = 0; i < g->n; i++)
		if (!g->pending[i])
			g_array_append_val(ready, i);
	for (guint done = 0; done < ready->len; done++) {
		size_t i = g_array_index(ready, size_t, done);

		if (order)
			g_ptr_array_add(order, g->nodes[i].func);
		for (guint k = 0; k < g->callers[i]->len; k++) {
			size_t caller = g_array_index(g->callers[i], size_t, k);

			g->nodes[caller].height = MAX(g->nodes[caller].height, g->nodes[i].height + 1);
			if (--g->pending[caller] == 0)
				g_array_append_val(ready, caller);
		}
	}
	g_array_free(ready, TRUE);
}

static bool reaches_itself(const struct graph *g, size_t from)
{
	GHashTable *seen = g_hash_table_new(NULL, NULL);
	GPtrArray *todo = g_ptr_array_new();
	bool found = false;

	g_ptr_array_add(todo, g->nodes[from].func);
	while (todo->len && !found) {
		size_t at = node_of(g, g_ptr_array_steal_index_fast(todo, todo->len - 1)) - 1;

		for (guint k = 0; k < g->nodes[at].callees->len && !found; k++) {
			struct func *f = g->nodes[at].callees->pdata[k];
			size_t callee = node_of(g, f);

			if (!callee || !g->pending[callee - 1])
				continue;
			found = callee - 1 == from;
			if (g_hash_table_add(seen, f))
				g_ptr_array_add(todo, f);
		}
	}
	g_ptr_array_free(todo, TRUE);
	g_hash_table_destroy(seen);
	return found;
}

void call_order(struct call_node *nodes, size_t n, GPtrArray *order)
{
	struct graph g;

	graph_init(&g, nodes, n);
	peel(&g, order);
	for (size_t i = 0; i < n; i++) {
		if (!g.pending[i])
			continue;
		nodes[i].height = 0;
		nodes[i].recursive = reaches_itself(&g, i);
		if (order)
			g_ptr_array_add(order, nodes[i].func);
	}
	graph_free(&g);
}
