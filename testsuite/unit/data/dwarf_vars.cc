// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of C++ programs, for test_dwarf_vars.c; see dwarf_vars.c.
#define keep __attribute__((noinline, noclone))

volatile long sink;

namespace outer {
enum class shade : unsigned char { dark = 200, light = 7 };
int inside = 31;
struct base {
	int in_base;
	static int count;
	virtual ~base() {}
	base(int n) : in_base(n) {}
};
int base::count = 17;
struct second {
	long in_second = 1234567;
};
namespace {
struct hidden {
	short secret;
};
hidden hide = { -55 };
}
class derived : public base, public second {
public:
	shade colour;
	int &ref;
	union {
		char first;
		int whole;
	};
	struct inner {
		long deep;
	} nested;
	derived *self;
	derived(int n, int &r) : base(n), colour(shade::dark), ref(r), whole(0x41424344), nested{ n * 2 }, self(this) {}
	keep long method(int arg, const derived &other);
};

keep long derived::method(int arg, const derived &other)
{
	long local = arg + in_base;

	sink += local; // stop: arg; local; this->in_base; this->in_second; this->colour; this->whole; this->first; this->nested.deep; this->self->self->in_base; other.in_base; other.in_second; other.ref; inside; hide.secret; count
	sink += other.in_base;
	return local + other.nested.deep;
}
}

template <typename T> struct box {
	T value;
	T get(int k) const;
};

template <typename T> keep T box<T>::get(int k) const
{
	T copy = value;

	sink += k;
	return copy + k; // stop: k; copy; this->value
}

keep static long references(long &r, long &&moved, bool yes, char16_t wide, decltype(nullptr) none)
{
	auto add = [&r, yes](int n) __attribute__((noinline)) {
		sink += n;
		return r + n + yes; // stop: n
	};

	sink += moved + wide;
	return add(5) + r; // stop: r; moved; yes; wide
}

int main()
{
	int other = 77;
	long value = -9;
	outer::derived one(5, other), two(6, other);
	box<long> longs = { 1l << 40 };
	box<unsigned char> bytes = { 250 };

	sink += one.method(3, two) + longs.get(4) + bytes.get(2);
	sink += references(value, sink + 1, true, u'\x20ac', nullptr) + outer::hide.secret + outer::inside + outer::base::count;
	return 0;
}
