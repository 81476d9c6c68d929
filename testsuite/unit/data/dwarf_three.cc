/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scopes, methods, overloads, templates, static members. */
namespace outer {
namespace inner {
struct Box {
	int v;
	static int made;
	struct Lid { char c; };
	Box(int x) : v(x) { made++; }
	__attribute__((noinline)) int get() const { return v + 1; }
	int set(int x);
	int set(double x);
};
int Box::made = 5;
__attribute__((noinline)) int Box::set(int x) { return v = x; }
__attribute__((noinline)) int Box::set(double x) { return v = (int)x; }
}
template <typename T> __attribute__((noinline)) T twice(T x) { return x + x; }
}
namespace {
__attribute__((noinline)) int hidden_one(int x) { return x * 3; }
}
int operator+(const outer::inner::Box &b, int x) { return b.v + x; }
outer::inner::Box::Lid lid;

int main(int argc, char **)
{
	outer::inner::Box b(argc);
	b.set(argc + 1);
	b.set(1.5);
	lid.c = 1;
	return b.get() + outer::twice(argc) + outer::twice<long>(2) + hidden_one(argc) + (b + 1) == 999;
}
