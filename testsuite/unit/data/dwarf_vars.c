/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables of all kinds, for test_dwarf_vars.c.  A line with "stop:" is where a debugger stops and looks at what follows,
 * separated by semicolons. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define keep __attribute__((noinline, noclone))

enum colour { RED, GREEN = 5, BLUE = -3, WHITE = 200 };
enum wide { SMALL = 1, HUGE = 0xfffffffful };
typedef int number;
typedef number counted;
typedef const volatile counted *counted_ptr;

struct point { short x, y; };
struct packed_bits {
	unsigned a : 3;
	int b : 5;
	unsigned long c : 40;
	_Bool d : 1;
	unsigned char e;
	int f : 17;
	long g : 33;
} ;
struct __attribute__((packed)) tight { char c; int i : 13; unsigned j : 19; long l; };
struct node {
	struct node *next;
	enum colour colour;
	union {
		int as_int;
		char as_bytes[4];
		struct { short low, high; };
	};
	struct { int in_one, in_two; } named;
	double ratio;
	float part;
	int (*fn)(int);
	int grid[2][3];
	struct packed_bits bits;
	struct tight tight;
	const char *text;
	void *any;
	_Atomic int atom;
	struct point points[2];
	int tail[];
};

struct pair { long a, b; };
struct small { int a; char b; short c; };
struct big { long v[5]; };

int global = 42;
static short file_static = -7;
__thread int tls_zero;
__thread long tls_set = 0x1122334455667788;
static __thread char tls_small = 'q';
struct node *head;
const char *const words[] = { "one", "two", "three" };
volatile long sink;
short long_array[256] = { [255] = 1234 };
extern int elsewhere;
int elsewhere = 99;

static int twice(int x)
{
	return 2 * x;
}

keep static void use(const void *p)
{
	sink += (long)p & 1;
	__asm__ volatile("" : : "r"(p) : "memory");
}

keep long scalars(signed char c, unsigned char uc, short s, unsigned short us, int i, unsigned u, long l, unsigned long ul,
		  enum colour col, _Bool flag)
{
	counted n = i * 3;
	counted_ptr np = &n;
	int64_t wide = l * 7 + ul;
	uint8_t low = (uint8_t)wide;

	use((const void *)np);
	sink += wide + low + n; /* stop: c; uc; s; us; i; u; l; ul; col; flag; n; wide; low; global; file_static; elsewhere; *np */
	sink += c + uc + s + us + i + u + l + ul + col + flag;
	return wide + low;
}

keep long structs(struct node *n, struct pair p, struct small s, struct big b, int last)
{
	long sum = 0;

	sum += n->bits.a + n->bits.b; /* stop: n->colour; n->as_int; n->as_bytes[1]; n->low; n->high; n->named.in_two; n->ratio; n->part; n->fn; n->grid[1][2]; n->grid[0][1]; n->bits.a; n->bits.b; n->bits.c; n->bits.d; n->bits.e; n->bits.f; n->bits.g; n->tight.c; n->tight.i; n->tight.j; n->tight.l; n->text; n->text[2]; n->any; n->atom; n->points[1].y; n->tail[1]; n->next->next; n->next->colour; p.a; p.b; s.a; s.b; s.c; b.v[0]; b.v[4]; last; words[1][0] */
	sum += p.a * p.b + s.a + s.b + s.c;
	sum += b.v[3] + last;
	use(n);
	sink += sum; /* stop: sum; n->colour; p.a; p.b; s.c; b.v[2]; last; tls_zero; tls_set; tls_small */
	return sum + n->tight.j;
}

keep long blocks(int n)
{
	long total = 0;

	for (int i = 0; i < n; i++) {
		int n = i * 10;

		if (i & 1) {
			char n = 'a' + i;

			use(&n);
			total += n; /* stop: n; i; total */
		}
		use(&n);
		total += n; /* stop: n; i; total */
	}
	{
		static int calls;
		double half = total / 2.0;
		float third = total / 3.0f;

		calls++;
		use(&half);
		use(&third);
		total += (long)half; /* stop: calls; half; third; total; n */
	}
	return total;
}

static inline __attribute__((always_inline)) long inner(long a, int k)
{
	long local = a * k + 1;
	struct pair pr = { a, local };

	sink += pr.a ^ pr.b; /* stop: a; k; local; pr.a; pr.b */
	sink += local;
	return local + pr.b; /* stop: a; k; local; pr.a; pr.b */
}

keep long inlines(long base, int count)
{
	long first = inner(base, 3);
	long second = inner(first, count);

	sink += second; /* stop: base; count; first; second */
	return first - second;
}

keep long frames(int depth, long a, long b, long c, long d, long e, long on_stack, char also)
{
	char buffer[64];
	long here = depth * a + on_stack;

	memset(buffer, depth, sizeof(buffer));
	use(buffer);
	if (depth > 0)
		here += frames(depth - 1, a + 1, b, c, d, e, on_stack * 2, also + 1);
	sink += here + b + c + d + e; /* stop: depth; a; b; c; d; e; on_stack; also; here; buffer[3]; buffer */
	return here + also + buffer[depth];
}

keep long dynamic(int n, char *name)
{
	int vla[n];
	long sum = 0;

	for (int i = 0; i < n; i++)
		vla[i] = i * i;
	use(vla);
	for (int i = 0; i < n; i++)
		sum += vla[i];
	sink += sum; /* stop: n; sum; vla[2]; name[1]; name */
	return sum + name[0];
}

keep long constants(long x)
{
	const int seven = 7;
	unsigned long many = 200;
	long large = 255;
	char few = -1;
	long known = 0x123456789abcdef;
	struct point pt = { 3, -4 };
	struct point *pp = &pt;

	x += seven; /* stop: seven; known; many; large; few; long_array[255]; pt.x; pt.y; pp->x; pp->y; x */
	sink += x;
	sink += known + pp->y;
	return x * 2;
}

keep unsigned arithmetic(unsigned long v, unsigned char shift, int neg)
{
	unsigned mid = (unsigned)(v >> shift);
	int quarter = neg / 4;
	unsigned char low = (unsigned char)(mid + neg);
	long mixed = (long)(short)mid * neg;

	sink += 1; /* stop: v; shift; neg; mid; quarter; low; mixed */
	sink += mid; /* stop: v; shift; neg; mid; quarter; low; mixed */
	return mid + quarter + low + mixed;
}

keep void floats(double d, float f, int before, long double x)
{
	double e = d * 2;
	float g = f + 1;

	use(&e);
	use(&g);
	sink += before + (long)(x + d + f); /* stop: e; g; before; d; f */
}

struct mixed { double d; long l; };
struct halves { float a, b, c; };

keep double vectors(double a, int i, float f, struct mixed m, struct halves h, long l, double z)
{
	use(&m); /* stop: a; i; f; m.d; m.l; l; z */
	use(&h);
	return a * z + f + m.d + h.c + i + l; /* stop: a; i; f; m.l; h.a; h.b; h.c; l; z */
}

static struct node *make(int n, struct node *next)
{
	struct node *p = calloc(1, sizeof(*p) + 4 * sizeof(int));

	p->next = next;
	p->colour = n & 1 ? BLUE : GREEN;
	p->as_int = 0x01020304 * n;
	p->named.in_two = n;
	p->ratio = n * 1.25;
	p->part = -0.1f * n;
	p->fn = twice;
	p->grid[1][2] = 12 * n;
	p->grid[0][1] = -n;
	p->bits = (struct packed_bits){ n & 7, -n, 0x9876543210ul * n, n & 1, 200 + n, -5000 * n, -(1l << 31) - n };
	p->tight = (struct tight){ 'x', -1000 - n, 300000 + n, -1234567890123l };
	p->text = words[n % 3];
	p->any = &p->named;
	p->atom = n * 1000;
	p->points[1].y = -n;
	p->tail[1] = 77 * n;
	return p;
}

int main(void)
{
	head = make(3, make(2, make(1, NULL)));
	tls_zero = 5;
	scalars(-3, 200, -30000, 60000, -2000000000, 4000000000u, -9000000000000000000l, 18000000000000000000ul, BLUE, 1);
	structs(head, (struct pair){ 11, -22 }, (struct small){ 1, -2, 3 }, (struct big){ { 1, 2, 3, 4, 5 } }, 1234);
	blocks(4);
	inlines(100, 9);
	frames(3, 1, 2, 3, 4, 5, 600, 'A');
	dynamic(6, (char *)words[2]);
	constants(sink);
	arithmetic(0xfedcba9876543210ul, 12, -77);
	floats(1.5, -0.25f, 8, 2.5L);
	vectors(3.25, -4, 0.1f, (struct mixed){ -1e300, 12 }, (struct halves){ 1, 2.5, -3 }, 99, 1e-9);
	return 0;
}
