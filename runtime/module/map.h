/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside maps: one list of all elements, sorted by hash, and tables of entry points into it.
 *
 * Lookup.  A table of 2^n entry points cuts the range of hashes in equal parts; each point is a link of the
 * list itself that sorts before all elements of its part.  Growing means to publish a larger, empty table (the
 * worker does, ahead of the pool of nodes, so that parts hold one element on average): its points are put in
 * the list by whoever needs one first, starting at the smaller table's point before it.  Points stay for good,
 * so nothing is ever moved, and lookups and inserts never wait for anybody.
 *
 * Insert.  A node comes from a pool, is filled, and is linked at its place with one compare-and-swap; when that
 * fails the walk goes on from there, so two CPUs never make two elements of one key.  Equal hashes are walked.
 * Elements go only in exclusive mode (or with nothing else running), so a walk never meets a node in change.
 *
 * Pools are stacks.  They are popped by any context; nodes come back only in exclusive mode, and a node that
 * lost a race stays as the spare of its slot instead: so a pop never sees a node that was away and came back
 * (no ABA), and compare-and-swap is all that is needed, in NMIs as well.  Maps with string keys have one pool
 * for each class of key length.
 *
 * Order of insertion: new nodes are pushed on a stack; those with exclusive access move them to the ordered list.
 *
 * Lock modes: shared is enough for at, peek, count, any, and updates of cells.  Exclusive: del, clear, foreach
 * from begin to end, and stp_map_at* on a map with wrap (it may replace the oldest element).
 */
#ifndef STP_MAP_H
#define STP_MAP_H

#include "stat.h"

#define STP_MAXCLASS 18
#define STP_LINK_READY 2ull      /* an entry point that is in the list */
#define STP_LINK_CLAIMED 1ull    /* ... that somebody is putting there */
#define STP_LINK_NODE 3ull       /* an element (both bits) */

/* Sorted by hash; the two lowest bits tell what it is, 0: not in the list. */
struct stp_link {
	struct stp_link *next;
	u64 hash;
};

/* Followed by the value cell, then for each key 8 bytes (s64 or struct stp_keystr), then bytes of string keys. */
struct stp_node {
	struct stp_node *ord_next, *ord_prev;
	struct stp_link link;
};

struct stp_keystr {
	u32 len;
	u32 off : 24;        /* of the bytes from the node's link */
	u32 cls : 8;         /* in the first string key: class of the node */
};

struct stp_table {
	struct stp_table *parent;    /* half the size or less, NULL: all points are in the list */
	u32 bits;
	u32 shift;                   /* hash >> shift: index */
	struct stp_link point[];     /* not in the list yet: next is the map's tail, or somewhere behind its place */
};

struct stp_class {
	struct stp_link *free;
	s64 nfree, low;              /* low: ask for a refill below it */
	u64 total;
	u32 strbytes;                /* room for bytes of string keys */
	u32 size;                    /* bytes of a node */
};

/* An element to be sorted. */
struct stp_ent {
	s64 v;
	struct stp_node *n;
	u64 ord;                     /* place before sorting */
};
struct stp_entbuf {                  /* scratch of sorted and sliced foreach, as a stack of loops */
	struct stp_entbuf *next;
	u64 room, used;
	struct stp_ent ent[];
};

struct stp_map {
	/* read by each lookup */
	struct stp_table *table;
	u64 seed[3];
	u32 cell_size;               /* offset of the keys behind the cell */
	u8 nkeys, value, wrap, first_str; /* first_str: number of the first string key, nkeys if none */
	char keys[STP_MAXKEYS + 1];
	u32 nclasses;
	struct stp_link tail;        /* end of the list */
	/* changed by inserts */
	char pad[64];                /* apart from what lookups read */
	u64 count;
	struct stp_node *recent;     /* not yet in the ordered list, latest first */
	u32 kicked;
	u64 starved;                 /* inserts that met an empty pool */
	struct stp_class cls[STP_MAXCLASS];
	/* exclusive mode */
	struct stp_node *ord_head, *ord_tail;
	struct stp_node *limbo;      /* deleted while loops are active, linked by link.next as nodes */
	u32 loops;                   /* active foreach */
	struct stp_entbuf *buf;      /* newest first; the older ones serve loops under way */
	struct stp_entbuf *buf_new, *buf_old; /* handed from and to the worker; buf_old is a stack */
	/* process context */
	const char *name;
	u64 limit;                   /* most elements; ~0: none */
	u32 maxstringlen, nslots;
	u32 buf_levels;              /* complete maps that the scratch must hold */
	u32 at_budget;
	struct stp_budget *budget;
	struct stp_statpool stats;   /* value 'x' */
	void *chunks;                /* of nodes, linked by the first word */
	u64 buf_room;                /* room of the newest scratch */
	struct stp_mutex mutex;
	char msg_full[128], msg_budget[128];
	struct stp_node *spare[];    /* of each slot, linked by ord_next */
};

/* ---- for the rest of the runtime ---- */

/*
 * A map for g (kind STP_G_MAP), with room for the first elements.  ncpus: possible CPUs (nr_cpu_ids); contexts'
 * slots are below stp_slots(ncpus).  Keeps g and b.  Process context; NULL: no memory, or over budget.
 */
struct stp_map *stp_map_create(const struct stp_global *g, const struct stp_config *cfg, u32 ncpus,
			       struct stp_budget *b);
void stp_map_destroy(struct stp_map *m);          /* NULL is fine; process context, nothing running */
bool stp_map_needs_refill(struct stp_map *m);     /* any context */
void stp_map_refill(struct stp_map *m);           /* process context, may sleep; at any time */
const char *stp_map_name(const struct stp_map *m);
/* Losses since the start: hits that ended with stp_err_starved, and updates of statistics without memory. */
u64 stp_map_starved(const struct stp_map *m);
u64 stp_map_stat_lost(const struct stp_map *m);

/* ---- between the map's own files ---- */

static inline struct stp_node *stp_node_of(struct stp_link *l)
{
	return container_of(l, struct stp_node, link);
}
static inline void *stp_link_cell(struct stp_link *l)
{
	return l + 1;
}
static inline char *stp_link_keys(const struct stp_map *m, const struct stp_link *l)
{
	return (char *)(l + 1) + m->cell_size;
}
static inline struct stp_str stp_keystr_get(const struct stp_link *l, const struct stp_keystr *ks)
{
	return (struct stp_str){ (const char *)l + ks->off, ks->len };
}
static inline u32 stp_node_class(const struct stp_map *m, const struct stp_node *n)
{
	if (m->first_str >= m->nkeys)
		return 0;
	return ((struct stp_keystr *)(stp_link_keys(m, &n->link) + 8 * m->first_str))->cls;
}

/* Keys of the element match k, but those whose bit in `any` is set. */
bool stp_node_match(const struct stp_map *m, const struct stp_link *l, const union stp_key *k, u32 any);
/* Move new elements to the ordered list.  Exclusive. */
void stp_map_drain(struct stp_map *m);
/* Delete one element.  Exclusive; drained. */
void stp_node_delete(struct stp_ctx *c, struct stp_map *m, struct stp_node *n);
/* Free what was deleted during loops.  Exclusive. */
void stp_map_purge(struct stp_map *m);
/* The entry point before hash h.  Shared. */
struct stp_link *stp_map_point(struct stp_map *m, u64 h);
/* A node with room for strbytes, or NULL with the error set. */
struct stp_node *stp_node_take(struct stp_ctx *c, struct stp_map *m, u32 strbytes);
void stp_node_spare(struct stp_ctx *c, struct stp_map *m, struct stp_node *n); /* not needed after all */
void stp_node_release(struct stp_map *m, struct stp_node *n);       /* exclusive */

/* Sort by (v or string key `by`, dir), then by ord; keep the first `keep`, return how many there are. */
u64 stp_ents_sort(struct stp_map *m, struct stp_ent *e, u64 n, u64 keep, int dir, int strkey);

#endif
