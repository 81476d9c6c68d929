/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a script of random arithmetic, and what it has to print by a model of its own: numbers of 128 bits cut to 64.
 * Each expression is printed twice: with literals, which pass 2 folds, and with globals, which run.
 *	arith SEED N script|wanted
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVARS 12

static const int64_t values[NVARS] = {
	0, 1, -1, 2, 7, -13, 63, 64, 1000003, INT64_MAX, INT64_MIN, -4611686018427387905,
};
static uint64_t seed;
static char text[2][1 << 16]; /* with literals, with globals */

static unsigned next(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % n;
}

static int64_t cut(__int128 v)
{
	return (int64_t)(uint64_t)(unsigned __int128)v;
}

static void put(const char *s)
{
	strcat(text[0], s);
	strcat(text[1], s);
}

static int64_t leaf(void)
{
	unsigned i = next(NVARS);
	char *end = text[0] + strlen(text[0]);

	if (values[i] == INT64_MIN)
		strcpy(end, "(-9223372036854775807 - 1)");
	else
		sprintf(end, values[i] < 0 ? "(%" PRId64 ")" : "%" PRId64, values[i]);
	sprintf(text[1] + strlen(text[1]), "v%u", i);
	return values[i];
}

static int64_t shift(const char *op, int64_t a, int64_t b)
{
	unsigned n = (uint64_t)b % 64;

	if (!strcmp(op, "<<"))
		return cut((__int128)a << n);
	if (!strcmp(op, ">>>"))
		return (int64_t)((uint64_t)a >> n);
	return cut((__int128)a >> n);
}

static int64_t apply(const char *op, int64_t a, int64_t b)
{
	__int128 x = a, y = b;

	switch (op[0] | op[1] << 8) {
	case '+': return cut(x + y);
	case '-': return cut(x - y);
	case '*': return cut(x * y);
	case '/': return cut(x / y);
	case '%': return cut(x % y);
	case '&': return a & b;
	case '|': return a | b;
	case '^': return a ^ b;
	case '<': return x < y;
	case '>': return x > y;
	case '<' | '=' << 8: return x <= y;
	case '>' | '=' << 8: return x >= y;
	case '=' | '=' << 8: return x == y;
	case '!' | '=' << 8: return x != y;
	case '&' | '&' << 8: return x && y;
	case '|' | '|' << 8: return x || y;
	default: return shift(op, a, b);
	}
}

static int64_t expression(int depth);

static int64_t unary(int depth)
{
	static const char *const ops[] = { "-", "~", "!", "+" };
	unsigned i = next(4);
	int64_t a;

	put("(");
	put(ops[i]);
	put("(");
	a = expression(depth - 1);
	put("))");
	return i == 0 ? cut(-(__int128)a) : i == 1 ? ~a : i == 2 ? !a : a;
}

static int64_t choice(int depth)
{
	int64_t a, b, c;

	put("(");
	a = expression(depth - 1);
	put(" ? ");
	b = expression(depth - 1);
	put(" : ");
	c = expression(depth - 1);
	put(")");
	return a ? b : c;
}

static int64_t expression(int depth)
{
	static const char *const ops[] = {
		"+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", ">>>",
	};
	const char *op = ops[next(sizeof(ops) / sizeof(*ops))];
	size_t mark[2];
	int64_t a, b;

	if (depth == 0 || next(6) == 0)
		return leaf();
	if (next(7) == 0)
		return unary(depth);
	if (next(12) == 0)
		return choice(depth);
	put("(");
	a = expression(depth - 1);
	put(" ");
	put(op);
	put(" ");
	mark[0] = strlen(text[0]);
	mark[1] = strlen(text[1]);
	b = expression(depth - 1);
	if (b == 0 && (!strcmp(op, "/") || !strcmp(op, "%"))) {
		strcpy(text[0] + mark[0], "3");
		strcpy(text[1] + mark[1], "3");
		b = 3;
	}
	put(")");
	return apply(op, a, b);
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[2]) : 0, script = argc > 3 && !strcmp(argv[3], "script");

	seed = argc > 3 ? strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u : 1;
	for (int i = 0; script && i < NVARS; i++)
		if (values[i] != INT64_MIN)
			printf("global v%d = %" PRId64 "\n", i, values[i]);
		else
			printf("global v%d = 0\nprobe begin(-1) { v%d = -9223372036854775807 - 1 }\n", i, i);
	for (int i = 0; i < n; i++) {
		int64_t v;

		text[0][0] = text[1][0] = 0;
		v = expression(5);
		if (script)
			printf("probe begin(%d) { println(%s, \" \", %s) }\n", i, text[0], text[1]);
		else
			printf("%" PRId64 " %" PRId64 "\n", v, v);
	}
	return 0;
}
