/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a script of random uses of printf, string functions and statistics, and what it has to print by models of its
 * own: the C library's printf, plain C on bytes, and sums over all values kept in an array.
 *	models SEED N script|wanted
 * Memory to be dumped is the name of the running program, which has to be staprun.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NTEXTS 14
#define LEN(a) (sizeof(a) / sizeof(*(a)))

static const char *const texts[NTEXTS] = {
	"", "a", "b", "ab", "abc", "abcabcabc", "-12x", "0x1fG", "077", "99999999999", " lead", "a,b,,c;d", "tab\there\n",
	"\001caf\303\251\"\\\177",
};
static const int64_t numbers[] = {
	0, 1, -1, 5, 9, 10, -10, 255, 4096, 65, -128, 1000003, 2147483648, -2147483649, INT64_MAX, INT64_MIN + 1,
};
static uint64_t seed;
static int is_script;

static unsigned next(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % n;
}

static int64_t any_number(void)
{
	return numbers[next(LEN(numbers))];
}

/* A string as the script writes it: half the time a variable, which nothing can fold. */
static void put_text(unsigned i)
{
	if (next(2)) {
		if (is_script)
			printf("t%u", i);
		return;
	}
	if (!is_script)
		return;
	putchar('"');
	for (const unsigned char *p = (const unsigned char *)texts[i]; *p; p++)
		printf("\\%03o", *p);
	putchar('"');
}

static void put(const char *text)
{
	if (is_script)
		fputs(text, stdout);
}

/* ---- printf ---- */

static void add_flags(char *fmt, const char *flags)
{
	for (; *flags; flags++)
		if (next(3) == 0)
			sprintf(fmt + strlen(fmt), "%c", *flags);
}

/* A width or precision of one of three kinds; 1 when it is an argument. */
static int add_size(char *fmt, int most, int *value)
{
	unsigned kind = next(3);

	*value = (int)next(most);
	if (kind == 0)
		return 0;
	if (kind == 1)
		sprintf(fmt + strlen(fmt), "%d", *value ? *value : 1);
	else
		strcat(fmt, "*");
	return kind == 2;
}

/* What the C library makes of it, with up to two arguments before the value. */
static void print_number(const char *fmt, int nstars, const int *star, int64_t v)
{
	if (nstars == 0)
		printf(fmt, v);
	else if (nstars == 1)
		printf(fmt, star[0], v);
	else
		printf(fmt, star[0], star[1], v);
}

static void print_text(const char *fmt, int nstars, const int *star, const char *v)
{
	if (nstars == 0)
		printf(fmt, v);
	else if (nstars == 1)
		printf(fmt, star[0], v);
	else
		printf(fmt, star[0], star[1], v);
}

static const char *flags_of(char conv)
{
	switch (conv) {
	case 'd': case 'i': return "-+ 0";
	case 'u': return "-0";
	case 's': case 'c': return "-";
	default: return "-#0";
	}
}

static void case_printf(void)
{
	static const char convs[] = "diuxXosc";
	char conv = convs[next(LEN(convs) - 1)], fmt[64] = "[%", libc[80];
	unsigned text = next(NTEXTS);
	int star[2], value, nstars = 0;
	int64_t v = conv == 'c' ? 33 + next(90) : any_number();

	add_flags(fmt, flags_of(conv));
	if (v == 0 && strchr(fmt, '#')) /* 0x0 here, 0 in C */
		v = 77;
	if (add_size(fmt, 20, &value))
		star[nstars++] = next(4) ? value : -value; /* a negative width: to the left */
	if (conv != 'c' && next(2)) {
		strcat(fmt, ".");
		if (add_size(fmt, 12, &value))
			star[nstars++] = value;
	}
	if (is_script) {
		printf("printf(\"%s%c]\\n\"", fmt, conv);
		for (int i = 0; i < nstars; i++)
			printf(", %d", star[i]);
		printf(", ");
	}
	if (conv == 's')
		put_text(text);
	else if (is_script)
		printf("%" PRId64, v);
	put(")\n");
	if (is_script)
		return;
	sprintf(libc, "%s%s%c]\n", fmt, conv == 's' || conv == 'c' ? "" : "l", conv);
	if (conv == 's')
		print_text(libc, nstars, star, texts[text]);
	else
		print_number(libc, nstars, star, v);
}

/* %p: C's %#lx, but for 0. */
static void case_pointer(void)
{
	char fmt[64] = "[%", libc[80];
	int star[1], value, nstars = 0;
	int64_t v = any_number();

	if (v == 0)
		v = 77;
	add_flags(fmt, "-");
	if (add_size(fmt, 24, &value))
		star[nstars++] = value;
	if (is_script) {
		printf("printf(\"%sp]\\n\"", fmt);
		for (int i = 0; i < nstars; i++)
			printf(", %d", star[i]);
		printf(", %" PRId64 ")\n", v);
		return;
	}
	sprintf(libc, "[%%#%slx]\n", fmt + 2);
	print_number(libc, nstars, star, v);
}

/* %b: the number's bytes, the lowest first. */
static void case_binary(void)
{
	static const int widths[] = { 1, 2, 4, 8, 0 };
	int width = widths[next(LEN(widths))];
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | (33 + next(90));
	if (!is_script) {
		putchar('[');
		for (int i = 0; i < (width ? width : 8); i++)
			putchar((int)(v >> 8 * i & 255));
		puts("]");
		return;
	}
	printf("printf(\"[%%");
	if (width)
		printf("%d", width);
	printf("b]\\n\", %" PRId64 ")\n", (int64_t)v);
}

/* %m and %M: bytes of memory as they are, or two digits for each. */
static void case_memory(void)
{
	static const char comm[] = "staprun";
	int from = (int)next(4), n = (int)next((unsigned)(strlen(comm) - (size_t)from)) + 1, hex = (int)next(2), width;
	int precision = (int)next(3); /* none, in the format, an argument */
	char fmt[64] = "%", text[64] = "", *p = text;

	add_flags(fmt, "-");
	width = (int)next(20);
	if (next(2))
		width = 0;
	if (precision == 0)
		n = 1;
	for (int i = 0; i < n; i++)
		p += sprintf(p, hex ? "%02x" : "%c", comm[from + i]);
	if (!is_script) {
		printf(strchr(fmt, '-') ? "[%-*s]\n" : "[%*s]\n", width, text);
		return;
	}
	printf("printf(\"[%s", fmt);
	if (width)
		printf("%d", width);
	if (precision == 1)
		printf(".%d", n);
	printf("%s%c]\\n\"", precision == 2 ? ".*" : "", hex ? 'M' : 'm');
	if (precision == 2)
		printf(", %d", n);
	printf(", comm_address() + %d)\n", from);
}

/* ---- strings ---- */

static void case_compare(void)
{
	static const char *const ops[] = { "<", ">", "<=", ">=", "==", "!=" };
	unsigned a = next(NTEXTS), b = next(NTEXTS), op = next(6);
	int r = strcmp(texts[a], texts[b]);
	int holds[] = { r < 0, r > 0, r <= 0, r >= 0, r == 0, r != 0 };

	put("println(");
	put_text(a);
	put(ops[op]);
	put_text(b);
	put(")\n");
	if (!is_script)
		printf("%d\n", holds[op]);
}

static void case_substr(void)
{
	unsigned a = next(NTEXTS);
	int64_t len = (int64_t)strlen(texts[a]), start = (int)next(14) - 2, n = (int)next(14) - 2;

	put("println(\"<\", substr(");
	put_text(a);
	if (is_script)
		printf(", %" PRId64 ", %" PRId64 "), \">\")\n", start, n);
	else if (start < 0 || start >= len || n <= 0)
		printf("<>\n");
	else
		printf("<%.*s>\n", (int)n, texts[a] + start);
}

static void case_find(void)
{
	unsigned a = next(NTEXTS), b = next(NTEXTS);
	const char *at = strstr(texts[a], texts[b]);

	put("println(strpos(");
	put_text(a);
	put(", ");
	put_text(b);
	put("), \" \", isinstr(");
	put_text(a);
	put(", ");
	put_text(b);
	put("), \" \", strlen(");
	put_text(a);
	put(" . ");
	put_text(b);
	put("))\n");
	if (!is_script)
		printf("%d %d %zu\n", at ? (int)(at - texts[a]) : -1, at != NULL, strlen(texts[a]) + strlen(texts[b]));
}

static void case_replace(void)
{
	unsigned a = next(NTEXTS), b = next(NTEXTS), c = next(NTEXTS);
	const char *p = texts[a], *at;

	put("println(\"<\", str_replace(");
	put_text(a);
	put(", ");
	put_text(b);
	put(", ");
	put_text(c);
	put("), \">\")\n");
	if (is_script)
		return;
	putchar('<');
	for (; *texts[b] && (at = strstr(p, texts[b])); p = at + strlen(texts[b]))
		printf("%.*s%s", (int)(at - p), p, texts[c]);
	printf("%s>\n", p);
}

static void case_strtol(void)
{
	static const int bases[] = { 0, 10, 16, 8, 2 };
	unsigned a = next(NTEXTS), base = bases[next(5)];
	/* blanks are not passed over, as in the kernel's own conversion */
	long long v = texts[a][0] == ' ' || texts[a][0] == '\t' ? 0 : strtoll(texts[a], NULL, base);

	put("println(strtol(");
	put_text(a);
	if (is_script)
		printf(", %d))\n", base);
	else
		printf("%lld\n", v);
}

static void case_tokenize(void)
{
	static const char *const delims[] = { ",", ",;", "ab", " ", "c" };
	unsigned a = next(NTEXTS - 1) + 1, d = next(5);
	char copy[64], *rest = copy, *token;

	put("for (w = tokenize(");
	put_text(a);
	if (is_script) {
		printf(", \"%s\"); w != \"\"; w = tokenize(\"\", \"%s\")) println(\"<\", w, \">\")\n", delims[d], delims[d]);
		return;
	}
	strcpy(copy, texts[a]);
	while ((token = strtok_r(rest, delims[d], &rest)))
		printf("<%s>\n", token);
}

static void case_escape(void)
{
	unsigned a = next(NTEXTS);

	put("println(text_str(");
	put_text(a);
	put("))\n");
	if (is_script)
		return;
	for (const unsigned char *p = (const unsigned char *)texts[a]; *p; p++) {
		const char *special = strchr("\aa\bb\tt\nn\vv\ff\rr\"\"\\\\", *p);

		if (special && !(*p >= 'a' && *p <= 'v'))
			printf("\\%c", special[1]);
		else if (*p >= 32 && *p < 127)
			putchar(*p);
		else
			printf("\\%03o", *p);
	}
	putchar('\n');
}

static void case_stringat(void)
{
	unsigned a = next(NTEXTS), pos = next(16);

	put("println(stringat(");
	put_text(a);
	if (is_script)
		printf(", %u))\n", pos);
	else
		printf("%d\n", pos < strlen(texts[a]) ? (unsigned char)texts[a][pos] : 0);
}

/* ---- statistics ---- */

static int64_t low_of_log(int64_t v)
{
	uint64_t a = v < 0 ? -(uint64_t)v : (uint64_t)v;

	return v == 0 ? 0 : 63 - __builtin_clzll(a);
}

/* Sums over the values themselves; the variance is (n sum(v^2) - sum(v)^2) / (n (n - 1)), rounded down. */
static void print_sums(const int64_t *v, int n)
{
	__int128 sum = 0, square = 0, min = v[0], max = v[0], variance = 0;

	for (int i = 0; i < n; i++) {
		sum += v[i];
		square += (__int128)v[i] * v[i];
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
	}
	if (n > 1)
		variance = (n * square - sum * sum) / ((__int128)n * (n - 1));
	printf("%d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", n, (int64_t)sum, (int64_t)min,
	       (int64_t)max, (int64_t)(sum / n), (int64_t)variance);
}

/* Buckets by their definition: of hist_log, 64 is for 0, 65 for 1, 66 for 2 and 3 ..., 63 for -1; of hist_linear(-20,
 * 30, 5), 0 is for what is below. */
static void print_buckets(const int64_t *v, int n)
{
	for (int i = 55; i < 75; i++) {
		int count = 0;

		for (int k = 0; k < n; k++)
			count += (v[k] == 0 ? 64 : v[k] > 0 ? 65 + low_of_log(v[k]) : 63 - low_of_log(v[k])) == i;
		printf("%d%s", count, i == 74 ? "\n" : " ");
	}
	for (int i = 0; i <= 12; i++) {
		int64_t from = -20 + (i - 1) * 5;
		int count = 0;

		for (int k = 0; k < n; k++)
			count += (i == 0 || v[k] >= from) && (i == 12 || v[k] < from + 5);
		printf("%d%s", count, i == 12 ? "\n" : " ");
	}
}

static void case_statistics(int key)
{
	int n = 1 + next(12);
	unsigned range = next(2) ? 40 : 100000;
	int64_t v[12];

	for (int i = 0; i < n; i++) {
		v[i] = (int64_t)next(2 * range) - range;
		if (is_script)
			printf("sa[%d, \"k\"] <<< %" PRId64 "; sl[%d] <<< %" PRId64 "; so <<< %" PRId64 "; si <<< %" PRId64 "; sv <<< %" PRId64
			       "\n", key, v[i], key, v[i], v[i], v[i], v[i]);
	}
	if (!is_script) {
		print_sums(v, n);
		print_sums(v, n);
		print_sums(v, n);
		print_buckets(v, n);
		return;
	}
	printf("println(@count(sa[%d, \"k\"]), \" \", @sum(sa[%d, \"k\"]), \" \", @min(sa[%d, \"k\"]), \" \", @max(sa[%d, \"k\"]), \" \","
	       " @avg(sa[%d, \"k\"]), \" \", @variance(sa[%d, \"k\"]))\n", key, key, key, key, key, key);
	put("println(@count(so), \" \", @sum(so), \" \", @min(so), \" \", @max(so), \" \", @avg(so), \" \", @variance(so))\n");
	/* bits kept meanwhile do not change what is exact */
	put("println(@count(sv), \" \", @sum(sv), \" \", @min(sv), \" \", @max(sv), \" \", @avg(sv), \" \", @variance(sv, 12))\n");
	printf("for (i = 55; i < 75; i++) printf(\"%%d%%s\", @hist_log(sl[%d])[i], i == 74 ? \"\\n\" : \" \")\n", key);
	put("for (i = 0; i <= 12; i++) printf(\"%d%s\", @hist_linear(si, -20, 30, 5)[i], i == 12 ? \"\\n\" : \" \")\n");
	put("delete so; delete si; delete sv\n");
}

static void one_case(int i)
{
	static void (*const cases[])(void) = {
		case_printf, case_printf, case_printf, case_pointer, case_binary, case_memory, case_compare, case_substr, case_find, case_replace, case_strtol,
		case_tokenize, case_escape, case_stringat,
	};
	unsigned which = next(LEN(cases) + 1);

	if (which == LEN(cases))
		case_statistics(i);
	else
		cases[which]();
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[2]) : 0;

	is_script = argc > 3 && !strcmp(argv[3], "script");
	seed = argc > 3 ? strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u : 1;
	put("global sa, sl, so, si, sv\n");
	put("function comm_address:long() { return &@cast(task_current(), \"task_struct\")->comm }\n");
	for (unsigned i = 0; i < NTEXTS && is_script; i++) {
		printf("global t%u = \"", i);
		for (const unsigned char *p = (const unsigned char *)texts[i]; *p; p++)
			printf("\\%03o", *p);
		printf("\"\n");
	}
	for (int i = 0; i < n; i++) {
		if (i % 20 == 0 && is_script)
			printf("%sprobe begin(%d) {\n", i ? "}\n" : "", i);
		one_case(i);
	}
	put("}\nprobe begin(1000000) { exit() }\n");
	return 0;
}
