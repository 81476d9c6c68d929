/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract between a script's generated C and the runtime.
 *
 * Generated C includes this header and nothing else; the runtime includes it after the kernel's (or,
 * in user-space unit tests, the C library's) headers.  Everything is fixed-width and independent of
 * kernel structures.  A change here raises STP_ABI.
 *
 * Handlers run with interrupts off on the CPU whose context they got (begin, end and error handlers:
 * in process context, alone, nothing else of the script running).  They never sleep or allocate.
 */
#ifndef STP_ABI_H
#define STP_ABI_H

#define STP_ABI 1

#ifdef STP_GENERATED /* defined by generated C, which has no other headers */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef unsigned long size_t;
#ifndef __bool_true_false_are_defined
#define bool _Bool
#define true 1
#define false 0
#endif
#define NULL ((void *)0)
#endif

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
#define stp_cold __attribute__((__cold__, __noinline__))

#define STP_MAXKEYS 9
#define STP_MAXLOCKS 32  /* lock groups of one script */
#define STP_MAXARGS 12   /* tracepoint argument words */

/* A string: a view of len bytes, not NUL-terminated, never longer than MAXSTRINGLEN - 1. */
struct stp_str {
	const char *p;
	size_t len;
};
#define STP_STR(lit) ((struct stp_str){ (lit), sizeof(lit) - 1 })

/* A string variable: length and storage of the script's MAXSTRINGLEN bytes; declare with STP_BUF. */
struct stp_buf {
	u32 len;
	char s[];
};
#define STP_BUF(name, max) struct { u32 len; char s[max]; } name

/* Where printed text goes: a record of the output, or sprintf's piece of scratch memory. */
struct stp_sink {
	char *p, *end;
	bool string;     /* sprintf: cut at the end; else the runtime makes room */
};

/*
 * The execution context of a handler.  One per CPU and interrupt level, plus one for the process
 * context of begin/end.  The runtime's private part follows behind it.
 */
struct stp_ctx {
	const char *err;          /* NULL, or the message of the error that ends the handler */
	u64 *regs;                /* words of struct pt_regs at the probe, or NULL */
	const u64 *args;          /* tracepoint arguments (STP_TRACEPOINT), or NULL */
	u64 *saved;               /* STP_RETURN, STP_URETURN: words saved by the entry handler */
	char *scratch;            /* bump arena for string temporaries and string variables ... */
	char *scratch_end;        /* ... up to here */
	s64 actions;              /* statements left before MAXACTION is exceeded */
	const struct stp_probe *probe;
	u64 ip;                   /* STP_ENTRY, STP_RETURN, STP_ADDRESS: address of the function / probe */
	u32 err_pos;              /* index into stp_script.positions */
	u32 nesting;              /* script function calls under way */
	u32 slot;                 /* set once by the runtime: no two contexts that can run at the same moment share one:
	                             the CPU; number of CPUs + CPU for the NMI level; twice the number of CPUs for begin/end */
	u32 again;                /* STP_RESTART: missing user memory ended the handler, which is to begin anew: no catch takes that */
	struct stp_sink out;
	u8 reading[STP_MAXLOCKS]; /* lock groups held shared */
	u64 stack_start;          /* stack pointer as the handler began */
	u64 stack_mask;           /* size of the kernel's stacks less one; 0: not known */
	struct stp_match *match;  /* the handler's last match: where the script uses matched() or ngroups() */
	const char *site;         /* STP_UPROBE, STP_URETURN: name of the function or mark that was hit */
};

/* ---- errors ---- */
/* Record the first error; `msg` must stay valid (a constant, or stp_fail_str's copy). */
static inline void stp_fail(struct stp_ctx *c, const char *msg)
{
	if (!c->err)
		c->err = msg;
}
void stp_fail_str(struct stp_ctx *c, struct stp_str msg);           /* error(): copies */
/* A handler with STP_LEAF reports its error itself, last of all. */
stp_cold void stp_leaf_failed(struct stp_ctx *c);
/* catch (msg): the message, without its position, into scratch; clears the error. */
struct stp_str stp_catch(struct stp_ctx *c);

/* ---- arithmetic that can fail; wraps like the kernel's 64-bit signed arithmetic ---- */
static inline s64 stp_div(struct stp_ctx *c, s64 a, s64 b)
{
	if (unlikely(b == 0)) {
		stp_fail(c, "division by 0");
		return 0;
	}
	return b == -1 ? (s64)(0 - (u64)a) : a / b;
}
static inline s64 stp_mod(struct stp_ctx *c, s64 a, s64 b)
{
	if (unlikely(b == 0)) {
		stp_fail(c, "division by 0");
		return 0;
	}
	return b == -1 ? 0 : a % b;
}

/* ---- scratch memory ---- */
/* n bytes, 8-aligned; on overflow sets the error and returns NULL.  Freed by resetting c->scratch. */
static inline void *stp_tmp(struct stp_ctx *c, size_t n)
{
	char *p = c->scratch;

	n = (n + 7) & ~(size_t)7;
	if (unlikely((size_t)(c->scratch_end - p) < n)) {
		stp_fail(c, "out of string memory (see -D MAXSTRINGLEN and MAXNESTING)");
		return NULL;
	}
	c->scratch = p + n;
	return p;
}

/* ---- strings (may be called with views of anything that stays put until the call returns) ---- */
s64 stp_str_cmp(struct stp_str a, struct stp_str b);                /* <0, 0, >0, bytes as unsigned */
bool stp_str_eq(struct stp_str a, struct stp_str b);
/* Concatenation in scratch, cut at the script's MAXSTRINGLEN - 1. */
struct stp_str stp_str_cat(struct stp_ctx *c, struct stp_str a, struct stp_str b);
/* A copy in scratch: what a view must become before its source may change. */
struct stp_str stp_str_dup(struct stp_ctx *c, struct stp_str s);
/* Assignment to a variable with room for max bytes; s may overlap it. */
void stp_buf_set(struct stp_buf *b, size_t max, struct stp_str s);
void stp_buf_append(struct stp_buf *b, size_t max, struct stp_str s); /* .= */
static inline struct stp_str stp_buf_get(const struct stp_buf *b)
{
	return (struct stp_str){ b->s, b->len };
}
/* Function return: frees scratch down to `mark`, keeping s (moved there when it lies above). */
struct stp_str stp_str_return(struct stp_ctx *c, char *mark, struct stp_str s);

/* ---- fault-safe memory access; on a fault the error is set and 0 returned ---- */
u64 stp_load(struct stp_ctx *c, u64 addr, u32 size);                /* kernel, size 1 2 4 8, zero-extended */
u64 stp_uload(struct stp_ctx *c, u64 addr, u32 size);               /* current process */
void stp_store(struct stp_ctx *c, u64 addr, u32 size, u64 v);       /* guru mode */
void stp_ustore(struct stp_ctx *c, u64 addr, u32 size, u64 v);
/* NUL-terminated string in scratch, at most max bytes (0: MAXSTRINGLEN - 1). */
struct stp_str stp_cstr(struct stp_ctx *c, u64 addr, u32 max);
struct stp_str stp_ucstr(struct stp_ctx *c, u64 addr, u32 max);

/* ---- the target's variables ---- */
/* Addresses that the loader finds, for scripts that name variables of the kernel; defined by generated C. */
struct stp_address {
	u64 addr;                 /* 0: not found */
	const char *what;         /* for messages: "variable 'x'" */
	u64 moved;                /* 1: the runtime has seen its module come or go, and the loader knows no better */
};
extern struct stp_address stp_address_list[];
extern const u32 stp_naddresses;
/* Those in modules, for when the module arrives while the script runs; the last has no module. */
struct stp_module_address {
	u32 slot;                 /* in stp_address_list */
	const char *module;       /* with `_`, never `-` */
	const char *symbol;       /* one that the module has once */
	s64 offset;               /* from there */
	const char *build_id;     /* hexadecimal: of other builds it is not known; "": any */
};
extern const struct stp_module_address stp_module_addresses[];
stp_cold void stp_address_missing(struct stp_ctx *c, u32 n);        /* sets the error */
static inline s64 stp_address(struct stp_ctx *c, u32 n)
{
	u64 addr = stp_address_list[n].addr;

	if (unlikely(!addr))
		stp_address_missing(c, n);
	return (s64)addr;
}
/* The bits of a float (the low half of the word) as those of the same number as a double. */
static inline s64 stp_double_bits(u64 word)
{
	u64 sign = (word & 0x80000000) << 32, man = word & 0x7fffff;
	s64 exp = (word >> 23) & 0xff;

	if (exp == 0xff)
		exp = 0x7ff;
	else if (exp)
		exp += 1023 - 127;
	else if (man) {
		exp = 1023 - 126;
		while (!(man & 0x800000)) {
			man <<= 1;
			exp--;
		}
		man &= 0x7fffff;
	}
	return (s64)(sign | (u64)exp << 52 | man << 29);
}

/* ---- statistics ---- */
enum { STP_COUNT = 1, STP_SUM = 2, STP_MIN = 4, STP_MAX = 8, STP_AVG = 16, STP_VARIANCE = 32, STP_HIST = 64 };
enum { STP_HIST_NONE, STP_HIST_LOG, STP_HIST_LINEAR };
struct stp_statdesc {
	u32 ops;                  /* what updates must keep */
	u32 hist;                 /* STP_HIST_* */
	s64 low, high, width;     /* STP_HIST_LINEAR */
	s64 bit_shift;            /* @variance */
	u32 elision;              /* 1 more than the empty rows that are printed beside used ones; 0: 3; 1 << 20: all between them */
};
/* A statistic read at one moment, merged over the CPUs. */
struct stp_agg {
	s64 count, sum, min, max, avg, variance;
	const s64 *bucket;        /* in scratch; NULL without a histogram */
	u32 nbucket;
};
/*
 * A statistic: a place in a group, whose pieces hold the blocks of each slot (runtime/module/stat.h).  Known here
 * for the sake of updates alone.
 */
struct stp_block {                          /* what one slot knows of it; only as long as the operations need */
	u64 count;
	s64 sum;
	s64 min, max;                       /* when count */
	u64 sq_lo, sq_hi;                   /* 128-bit sum of squares */
	s64 sum_hi;                         /* sum's upper half */
	/* u64 bucket[] at hist_off */
};
struct stp_statgroup {
	struct stp_statpool *pool;
	u32 ops, hist, hist_off;            /* copies, for speed; ops may have a flag of the runtime's */
	char *piece[];
};
struct stp_stat {
	struct stp_statgroup *group;
	u64 off;                            /* of its block in a piece */
};
/* 0..127: 64 is the value 0, 65 1, 66 2..3 ...; 63 -1, 62 -2..-3 ... */
static inline u32 stp_hist_log_index(s64 v)
{
	u64 u = v < 0 ? 0 - (u64)v : (u64)v;
	u32 bits;

	if (!u)
		return 64;
	bits = 64 - __builtin_clzll(u);
	return v < 0 ? 64 - bits : 64 + bits;
}
void stp_stat_add(struct stp_ctx *c, struct stp_stat *st, s64 v);   /* st <<< v; sets no error */
/* The same with st's constant description, for the common operations without a call. */
static inline __attribute__((always_inline)) void stp_stat_update(struct stp_ctx *c, struct stp_stat *st, s64 v,
								  const struct stp_statdesc *d)
{
	struct stp_statgroup *g = st->group;
	char *piece = g->piece[c->slot];
	struct stp_block *b = (struct stp_block *)(piece + st->off);
	u32 ops = d->ops;
	u64 n;

	if ((ops & STP_VARIANCE) || d->hist == STP_HIST_LINEAR || unlikely(!piece)) {
		stp_stat_add(c, st, v);
		return;
	}
	n = b->count++;
	if (ops & (STP_SUM | STP_AVG))
		b->sum = (s64)((u64)b->sum + (u64)v);
	if (ops & (STP_MIN | STP_MAX)) {
		if (unlikely(!n)) {
			b->min = v;
			b->max = v;
		}
		if (unlikely(v < b->min))
			b->min = v;
		if (unlikely(v > b->max))
			b->max = v;
	}
	if (d->hist == STP_HIST_LOG)
		((u64 *)((char *)b + g->hist_off))[stp_hist_log_index(v)]++;
}
/* ops says which fields are wanted.  @min/@max/@avg of an empty statistic: the error "empty aggregate". */
void stp_stat_get(struct stp_ctx *c, const struct stp_stat *st, u32 ops, struct stp_agg *agg);
void stp_stat_clear(struct stp_ctx *c, struct stp_stat *st);        /* delete st */

/* ---- maps ---- */
enum stp_type { STP_LONG = 'l', STP_STRING = 's', STP_STATS = 'x' };
union stp_key {
	s64 l;
	struct stp_str s;
};
struct stp_map;               /* private to the runtime */
/*
 * Value cells.  stp_map_at* finds or makes the element of a key and returns its cell: s64 * for long
 * values, struct stp_buf * for strings, struct stp_stat * for statistics; NULL with the error set when the
 * map is full ("Array overflow, check MAXMAPENTRIES near ..." with the array's name, or the memory budget's).
 * stp_map_peek* returns NULL, without an error, when there is no such element.
 * The _l and _s forms are for maps with exactly one key.
 */
void *stp_map_at(struct stp_ctx *c, struct stp_map *m, const union stp_key *k);
void *stp_map_at_l(struct stp_ctx *c, struct stp_map *m, s64 k);
void *stp_map_at_s(struct stp_ctx *c, struct stp_map *m, struct stp_str k);
void *stp_map_peek(struct stp_ctx *c, struct stp_map *m, const union stp_key *k);
void *stp_map_peek_l(struct stp_ctx *c, struct stp_map *m, s64 k);
void *stp_map_peek_s(struct stp_ctx *c, struct stp_map *m, struct stp_str k);
/* delete a[k]; bit n of `any` set: key n is `*` (delete slice).  Needs the group's lock exclusively. */
void stp_map_del(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u32 any);
void stp_map_clear(struct stp_ctx *c, struct stp_map *m);           /* delete a */
/* [k..] in a with `*` keys; without stars use peek. */
bool stp_map_any(struct stp_ctx *c, struct stp_map *m, const union stp_key *k, u32 any);
u64 stp_map_count(const struct stp_map *m);                         /* elements */
/* Atomic in-place updates of long cells: the shared lock is enough. */
static inline void stp_cell_add(s64 *cell, s64 v)
{
	asm volatile("lock addq %1, %0" : "+m"(*cell) : "er"(v) : "cc");
}
static inline s64 stp_cell_fetch_add(s64 *cell, s64 v)
{
	asm volatile("lock xaddq %0, %1" : "+r"(v), "+m"(*cell) : : "cc", "memory");
	return v;
}

/* foreach.  Elements deleted while the loop runs are passed over; new ones are not visited. */
struct stp_iterspec {
	s8 dir;                   /* -1 descending, 0 insertion order, 1 ascending */
	u8 by;                    /* 0 value, n: key number n */
	u16 nslice;               /* 0, or the number of keys: slice[] counts */
	u32 stat;                 /* by value of a statistic: STP_COUNT ... */
	u32 any;                  /* slice: bit n set: key n is `*` */
	s64 limit;                /* < 0: none */
	const union stp_key *slice;
};
struct stp_iter {
	struct stp_map *m;
	void *cell;               /* value of the current element */
	void *node;
	u64 priv[6];
};
void stp_iter_begin(struct stp_ctx *c, struct stp_iter *it, struct stp_map *m, const struct stp_iterspec *spec);
bool stp_iter_next(struct stp_ctx *c, struct stp_iter *it);         /* false at the end */
s64 stp_iter_key_l(const struct stp_iter *it, u32 n);               /* n from 0 */
struct stp_str stp_iter_key_s(const struct stp_iter *it, u32 n);    /* view: valid until the element goes */
void stp_iter_end(struct stp_ctx *c, struct stp_iter *it);          /* also after break and errors */

/* ---- printing ---- */
enum { STP_FMT_MINUS = 1, STP_FMT_PLUS = 2, STP_FMT_SPACE = 4, STP_FMT_ALT = 8, STP_FMT_ZERO = 16 };
struct stp_fmt {
	u8 conv;                  /* d u x X o p c b s m M */
	u8 flags;
	s32 width, prec;          /* -1: none */
};
/* The handler's output record; all of one handler run comes out in one piece, in order over the CPUs. */
static inline struct stp_sink *stp_out(struct stp_ctx *c) { return &c->out; }
/* sprintf: collect into scratch; end returns the string, cut at MAXSTRINGLEN - 1. */
void stp_sprint_begin(struct stp_ctx *c, struct stp_sink *o);
struct stp_str stp_sprint_end(struct stp_ctx *c, struct stp_sink *o);
void stp_put(struct stp_ctx *c, struct stp_sink *o, const char *p, size_t n);
static inline void stp_put_str(struct stp_ctx *c, struct stp_sink *o, struct stp_str s) { stp_put(c, o, s.p, s.len); }
void stp_put_dec(struct stp_ctx *c, struct stp_sink *o, s64 v);     /* %d */
void stp_put_hex(struct stp_ctx *c, struct stp_sink *o, u64 v);     /* %x */
void stp_put_long(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, s64 v);
void stp_put_fstr(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, struct stp_str s);
void stp_put_mem(struct stp_ctx *c, struct stp_sink *o, const struct stp_fmt *f, u64 addr); /* %m %M; prec: bytes */
void stp_put_hist(struct stp_ctx *c, struct stp_sink *o, const struct stp_stat *st); /* print(@hist_...) */
/* Bucket access: value of bucket number i, its lower bound, and how many there are. */
s64 stp_hist_count(struct stp_ctx *c, const struct stp_stat *st, s64 i);
s64 stp_hist_low(const struct stp_statdesc *d, s64 i);
s64 stp_hist_buckets(const struct stp_statdesc *d);
/*
 * foreach over a histogram by count, or with the count as a value: n rows in scratch, in order of count (dir -1
 * descending, 1 ascending; equal ones by number) or of number (0).  st NULL: all are 0.  NULL with the error set: no room.
 */
struct stp_hist_row {
	s64 index, count;
};
struct stp_hist_row *stp_hist_rows(struct stp_ctx *c, const struct stp_stat *st, s64 n, int dir);

/* ---- regular expressions: only where the script uses matched() or ngroups() ---- */
#define STP_MAXGROUPS 32      /* with the whole match, number 0 */
struct stp_match {
	u32 ngroups;              /* 0: the last =~ did not match, or there was none; else with the whole match */
	u32 len;
	s32 pos[2 * STP_MAXGROUPS]; /* start and end in the text; -1: took no part */
	char text[];              /* a copy of what was matched, MAXSTRINGLEN bytes */
};
struct stp_regex_move {
	u16 to;                   /* state; 0xffff: match, 0xfffe: match when the string ends here */
	u16 tags;                 /* index of a list of tags to set, ended by 255 */
};
/* An automaton that many threads walk at once (translator/regex_dfa.h tells how it is made). */
struct stp_regex {
	const u8 *class;          /* of each byte */
	const u8 *sets;           /* of each state, set_bytes: a bit a class */
	const u16 *first;         /* of each state: where its moves begin; then two lists for the start */
	const struct stp_regex_move *move;
	const u8 *taglist, *order, *group;
	u16 nstates;
	u8 ntags, set_bytes, ngroups /* without the whole match */;
};
/* Bytes of scratch that a match takes. */
#define STP_REGEX_NEED(nstates, ntags) ((nstates) * (8u * (ntags) + 16) + 16u * (ntags) + 64)
/* Matches, and notes in c->match (which is there) where; false leaves it alone, and so does an error. */
bool stp_regex_find(struct stp_ctx *c, const struct stp_regex *re, struct stp_str s);

/* ---- locks ---- */
/*
 * A lock group guards globals that some handler uses together.  Updates that commute (n++, a[k] <<< x,
 * a[k] = long) enter shared; a handler that could see or make a torn combination enters exclusively for its whole
 * length, groups in ascending order.  Entering waits up to the TRYLOCK limit; then false is returned, the hit is
 * counted as lost, and the handler must return at once.  leave is called with the same sets.
 */
struct stp_lock {
	u32 writer;               /* 0, or 1 + CPU of the exclusive holder */
	u32 pad[15];              /* a cache line of its own */
} __attribute__((aligned(64)));
bool stp_lock_wait(struct stp_ctx *c, struct stp_lock *l, u32 id);  /* slow path of shared entry */
bool stp_lock_excl(struct stp_ctx *c, u32 id);
void stp_unlock_excl(struct stp_ctx *c, u32 id);
extern struct stp_lock stp_locks[STP_MAXLOCKS];
static inline bool stp_lock_shared(struct stp_ctx *c, u32 id)
{
	u8 one = 1;

	asm volatile("xchgb %0, %1" : "+q"(one), "+m"(c->reading[id]) : : "memory"); /* a full barrier */
	if (likely(!*(volatile u32 *)&stp_locks[id].writer))
		return true;
	return stp_lock_wait(c, &stp_locks[id], id);
}
static inline void stp_unlock_shared(struct stp_ctx *c, u32 id)
{
	asm volatile("" : : : "memory");
	*(volatile u8 *)&c->reading[id] = 0;
}

/* ---- calls ---- */
/* Loop heads and function entries: n more statements are about to run. */
static inline bool stp_spend(struct stp_ctx *c, s64 n)
{
	c->actions -= n;
	if (likely(c->actions >= 0))
		return true;
	stp_fail(c, "MAXACTION exceeded");
	return false;
}

/* Recursive functions: is the kernel's stack nearly used up? (It is aligned to its size.) */
#define STP_STACK_LEFT 4096
/* Of the stack that the handler runs on.  Any context. */
bool stp_stack_used_up(const struct stp_ctx *c);
static inline bool stp_stack_low(const struct stp_ctx *c)
{
	return c->stack_mask && stp_stack_used_up(c);
}

/* ---- what a module is made of ---- */
enum stp_probe_kind {
	STP_BEGIN, STP_END, STP_ERROR, STP_NEVER, STP_TIMER, STP_PROFILE,
	STP_ENTRY,      /* function entry */
	STP_RETURN,     /* function return */
	STP_TRACEPOINT,
	STP_ADDRESS,    /* any other kernel address */
	STP_PROCFS,     /* a file in /proc/systemtap/MODULE */
	STP_PERF,       /* a performance event on all CPUs; sub: its type; arg: config; arg2: period, or -(samples a second) */
	STP_PERF_TASK,  /* ... of processes; target: the program's path, "": target(); arg2 0: a counter without samples */
	STP_NETFILTER,  /* a hook; sub: protocol family << 8 | hook number; arg: priority; c->args: $hooknum $skb $in $out
	                   $verdict $pf $nf_hook_state */
	STP_INPUT,      /* the loader's standard input */
	STP_DATA,       /* access to kernel data; sub: 2 writing, 3 reading too; arg: bytes, 0: up to 4 */
	STP_UPROBE,     /* an instruction of a user program or library */
	STP_URETURN,    /* the return of a function there */
	STP_TASK,       /* what happens to processes and threads */
	STP_UDATA,      /* access to data of a program; sub, arg as STP_DATA; arg2: the address is a run-time one; c->args: $address */
	STP_VMA,        /* ... and to their mappings */
};
enum stp_task_event { /* stp_probe.arg of STP_TASK */
	STP_TASK_BEGIN, STP_TASK_END, STP_TASK_THREAD_BEGIN, STP_TASK_THREAD_END, STP_TASK_SYSCALL, STP_TASK_SYSCALL_RETURN,
};
enum stp_vma_event { /* stp_probe.arg of STP_VMA */
	STP_VMA_MAP, STP_VMA_UNMAP, STP_VMA_PROTECT, STP_VMA_MOVE,
};
enum { /* words of c->args of STP_VMA; the last is the runtime's own */
	STP_VMA_START, STP_VMA_END, STP_VMA_OFFSET, STP_VMA_FLAGS, STP_VMA_OLD /* protect: flags, move: start, before */, STP_VMA_ENTRY, STP_VMA_ARGS,
};
/*
 * STP_PROCFS: target is the file's name, arg its umask, arg2 the most bytes that a read gives (0: as a string).  c->args is private to the
 * runtime: handlers use stp_procfs_value*.
 */
enum { STP_PROCFS_READ, STP_PROCFS_WRITE }; /* sub */
/* STP_INPUT: the handler has stp_input_text(). */
enum { STP_INPUT_CHAR, STP_INPUT_LINE }; /* sub */
enum { STP_ENTRY_FUNCTION, STP_ENTRY_SYSCALL }; /* sub; the latter: of a wrapper whose one argument points to the registers of the call */
/*
 * STP_ENTRY: generated code names the callbacks that its probes need (asm(".globl NAME")), and no others are linked: stp_entry_leaf_fn for
 * handlers with STP_LEAF and without a condition, stp_entry_fn for the others, stp_entry_attach_shared where there are more than so many.
 * So with STP_UPROBE: stp_uprobe_restart_fn (STP_RESTART), stp_uprobe_leaf_fn (as above), stp_uprobe_fn; and STP_URETURN:
 * stp_ureturn_insn_fn (STP_AT_RETURNS), stp_ureturn_fn, and stp_user_hit_restart (STP_RESTART).
 */
#define STP_ENTRY_SINGLE_MAX 6
enum { /* stp_probe.flags */
	STP_NEED_REGS = 1,   /* reads registers other than the arguments' and return value's */
	STP_OPTIONAL = 2,    /* `?`: silently absent when it can not be attached */
	STP_WILD = 64,       /* with STP_OPTIONAL: of a wildcard; that nothing of it can be attached is told (stp_sites_report(), named by generated code) */
	STP_LEAF = 4,        /* handler: no strings, printing, loops, script functions; needs no scratch;
	                        calls stp_leaf_failed() after an error */
	STP_AT_RETURNS = 16, /* STP_URETURN: places are the starts of functions (SEMAPHORE 0) and where these are left (stp_leaves.h) */
	STP_GOROUTINES = 32, /* ... of a program whose stacks are those of Go */
	STP_RESTART = 8,     /* STP_UPROBE, STP_URETURN: when a read of user memory fails, nothing but printing may have been done */
};
struct stp_probe {
	void (*handler)(struct stp_ctx *c);
	void (*entry)(struct stp_ctx *c);   /* STP_RETURN with save_words: fills c->saved at entry */
	bool (*condition)(void);            /* on-the-fly condition, or NULL */
	const char *point;                  /* pp(); byte \001 stands for the name of the function hit */
	const char *name;                   /* pn() where it is not pp(): set in scripts that call it; or NULL */
	const char *target;                 /* STP_TRACEPOINT: "name" */
	s64 arg;                            /* STP_BEGIN/END/ERROR: order; STP_TIMER: period in ns; STP_RETURN, STP_URETURN: calls
	                                       that may be under way at once, 0: default; STP_TASK: enum stp_task_event; STP_VMA: enum stp_vma_event */
	s64 arg2;                           /* STP_TIMER: randomized by +- this many ns */
	u8 kind, flags;
	u16 save_words;
	u16 nargs;                          /* STP_TRACEPOINT: argument words */
	u32 loc;                            /* index into positions: where the probe is in the script */
	u32 sub;                            /* which of a kind: STP_PROCFS_WRITE ... */
};
struct stp_pos {
	const char *file, *what;            /* what: "operator '/'", "identifier 'x'" */
	u32 line, col;
};
enum { STP_G_LONG, STP_G_STRING, STP_G_STATS, STP_G_MAP };
struct stp_global {
	const char *name;
	u8 kind;                            /* STP_G_* */
	u8 value;                           /* STP_G_MAP: enum stp_type */
	u8 wrap;                            /* STP_G_MAP: old elements make room for new ones */
	const char *keys;                   /* STP_G_MAP: a letter (enum stp_type) a key */
	s64 limit;                          /* STP_G_MAP: most elements, 0: the memory budget alone */
	void *var;                          /* s64 *, struct stp_buf *, struct stp_stat **, struct stp_map ** */
	const struct stp_statdesc *stat;    /* STP_G_STATS, and maps of statistics */
};
enum stp_vma_strategy { STP_VMA_BY_ANY, STP_VMA_BY_PROBE, STP_VMA_BY_SYSCALL };
struct stp_config {                         /* -D settings, 0 or negative where "none" makes sense */
	u32 maxstringlen;                   /* MAXSTRINGLEN, 512 */
	u32 maxnesting;                     /* MAXNESTING, 10 */
	s64 maxaction, maxaction_interruptible; /* 1000, 10000; 0: unlimited */
	s64 maxerrors, maxskipped;          /* 0, 100; -1: unlimited */
	s64 maxmapentries;                  /* 0: up to the budget */
	u64 maxmemory;                      /* STP_MAXMEMORY in bytes, 0: default budget */
	u32 maxtrylock, trylockdelay;       /* 1000 tries of 10 us */
	u32 overload_threshold;             /* STP_OVERLOAD_THRESHOLD: handlers' share of the time, per mille; 0: off */
	u32 overload_interval_ms;
	u32 maxactive;                      /* KRETACTIVE, 0: by number of CPUs */
	u32 maxbacktrace;                   /* MAXBACKTRACE, 20: frames of a stack */
	u32 scratch_size;                   /* bytes of scratch memory a context */
	u32 buffer_bytes;                   /* output buffer a CPU, 0: default */
	u32 tables_wait_ms;                 /* STP_TABLES_WAIT, 10000: for the tables of a file that a program has just mapped */
	u8 vma_strategy;                    /* STP_VMA_STRATEGY: enum stp_vma_strategy */
	u8 suppress_errors;                 /* --suppress-handler-errors */
	u8 suppress_time_limits;
};
/* stap -t: what a probe's handler took, in cycles of the time stamp counter; generated handlers count. */
struct stp_time {
	u64 hits, cycles, least, most;      /* least: its complement, so that all begins with 0 */
};
static inline u64 stp_cycles(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	return (u64)high << 32 | low;
}
void stp_time_add(struct stp_time *t, u64 cycles);
/* The code for globals, private to the runtime; what is not named in stp_script is not linked in. */
struct stp_globals_ops;
extern const struct stp_globals_ops stp_globals_ops;
s64 stp_global_set(const void *arg);
struct stp_script {
	u32 abi;                            /* STP_ABI */
	u32 nprobes, nglobals, npositions, nlocks;
	const struct stp_probe *probes;     /* in script order */
	const struct stp_global *globals;
	const struct stp_globals_ops *globals_ops; /* &stp_globals_ops; NULL without globals */
	s64 (*set_global)(const void *arg); /* stp_global_set; NULL without numbers and strings among them */
	const struct stp_pos *positions;
	const struct stp_config *config;
	struct stp_time *times;             /* one a probe, or NULL */
};
extern const struct stp_script stp_script;  /* defined by generated C */

/*
 * How a kind of probe is attached, private to the runtime.  Generated C lists the hooks of the kinds that the script
 * has, once each, NULL-terminated: what is not named here is not linked in.
 *     const struct stp_hook *const stp_hooks[] = { &stp_hook_timer, &stp_hook_entry, NULL };
 * STP_BEGIN, STP_END, STP_ERROR and STP_NEVER need none.
 */
struct stp_hook;
extern const struct stp_hook stp_hook_timer, stp_hook_profile;
extern const struct stp_hook stp_hook_entry;    /* STP_ENTRY: ftrace, kprobe as fallback */
extern const struct stp_hook stp_hook_return, stp_hook_tracepoint, stp_hook_address;
extern const struct stp_hook stp_hook_procfs, stp_hook_data, stp_hook_input, stp_hook_netfilter;
extern const struct stp_hook stp_hook_perf, stp_hook_perf_task;
extern const struct stp_hook stp_hook_modules;  /* behind all others, where sites are in modules */
extern const struct stp_hook stp_hook_addresses; /* not of probes: stp_module_addresses */
extern const struct stp_hook stp_hook_uprobe;   /* STP_UPROBE and STP_URETURN */
extern const struct stp_hook stp_hook_task;
extern const struct stp_hook stp_hook_udata;
extern const struct stp_hook stp_hook_vma;      /* STP_VMA; with stp_hook_umap behind it */
extern const struct stp_hook stp_hook_lines;    /* not of probes: source lines that the loader brings, for library functions */
extern const struct stp_hook stp_hook_udata_lib; /* STP_UDATA of libraries; with stp_hook_umap behind it */
extern const struct stp_hook stp_hook_umap;     /* not of probes: the vma tracker, for library functions that rest on it */
extern const struct stp_hook *const stp_hooks[]; /* defined by generated C */

/*
 * Addresses of kernel functions are found by the loader.  Generated C lists them as text in the non-loaded
 * section .stap_sites, one a line:
 *     PROBE-INDEX KIND MODULE SYMBOL+OFFSET FLAGS
 * KIND e entry, r return, a address, d data; MODULE "vmlinux" or a module's name; SYMBOL+OFFSET: "vfs_read+0x0", a reference
 * symbol with an offset ("_stext+0x123450"; in a module any function of the same section whose name it has once), or
 * "0xffff..." for an absolute address; e and r are the first instruction of a function whatever the offset.
 * FLAGS are a sum: 1 optional, 4 with the copies that the compiler made of the function (NAME.isra.0, NAME.constprop.1),
 * 8 better not tried with ftrace, 16 one of those that a wildcard stands for, 2 right only for the build that a line before it names:
 *     build MODULE BUILD-ID
 *
 * Addresses of data that handlers name are listed in the same way in .stap_addresses, one a line, in the order of
 * stp_address_list:
 *     MODULE SYMBOL+OFFSET
 * SYMBOL may be the name of a section of a module, or "percpu:" and that of a per-CPU variable.  A line "build MODULE BUILD-ID"
 * before them tells what those of that module, or of the kernel, are right for.
 *
 * Places in user programs likewise, in .stap_programs; numbers are hexadecimal, texts have bytes outside of `!' to `~', and
 * `%', as %XX:
 *     F BUILD-ID PATH                  file number 0, 1, ...; BUILD-ID `-': not known
 *     S PROBE FILE PID PROGRAM         what follows is for this probe and file (`-': any program, for STP_TASK); PID
 *                                      `-', or only in that process; PROGRAM `-', or only where that file is the program
 *     U OFFSET SEMAPHORE OPTIONAL NAME an instruction at an offset in the file; its counter's offset or 0 (STP_AT_RETURNS: see
 *                                      stp_leaves.h); a name for pp()
 *
 * Library functions with a pragma `runtime: NAME` are entry points of the runtime, declared by generated C as
 *     s64 / struct stp_str / void stp_NAME(struct stp_ctx *c, ARGS...)
 * with s64 or struct stp_str arguments after the script's own declaration.
 */
#endif
