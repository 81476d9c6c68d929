// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of all kinds of parameters and results; prints of each what it was called with and what it returned.
package main

import "fmt"

type pair struct {
	a int
	b string
}

type counter struct{ n int }

var kept *string

//go:noinline
func one(n int) int { return n * 3 }

//go:noinline
func named(n int, s string) (sum int, text string) {
	sum = n + len(s)
	text = s + "!"
	return
}

//go:noinline
func escapes(s string) (n int, text string) { // text is moved to the heap
	kept = &text
	text = s + s
	return len(text), text
}

//go:noinline
func unnamed(a int, _ int, b int16) (int16, string) { return b - int16(a), "unnamed" }

//go:noinline
func real(f float64, n int) float64 { return f * float64(n) }

//go:noinline
func element(v []int32, i uint) int32 { return v[i] }

//go:noinline
func structs(p pair, one [1]int, two [2]int) pair { return pair{p.a + one[0] + two[1], p.b} }

type inside struct {
	x int8
	y float64
}

type padded struct {
	a int8
	b int64
	c int16
	in inside
	s string
}

type tail struct {
	l int64
	q bool
}

type floats struct{ v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10 float64 }

//go:noinline
func padding(p padded, t tail, n int8) padded { return padded{p.a + n, p.b + t.l, p.c, p.in, p.s + "!"} }

//go:noinline
func ten(f floats, n int) floats { return floats{v0: f.v9, v9: f.v0 + float64(n), v10: f.v10} }

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j int, s string) int { return a + j + len(s) }

//go:noinline
func results() (a, b, c, d, e, f, g, h, i, j int, s string) { return 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "eleven" }

//go:noinline
func (c *counter) add(n int) int { c.n += n; return c.n }

//go:noinline
func void(n *int) { *n++ }

//go:noinline
func deep(n int) int { // the stack grows, and moves
	var a [64]int
	if n == 0 {
		return 7
	}
	a[n%64] = n
	return deep(n-1) + a[n%64] - n
}

//go:noinline
func arrays(a [3]int8, n int) ([2]int, int, [3]int8) { a[0]++; return [2]int{n, n + 1}, n + 2, a }

//go:noinline
func nothing() {}

//go:noinline
func generic[T any](v []T, n int) (T, int) { return v[0], len(v) + n }

func main() {
	c := &counter{5}
	n := 1
	void(&n)
	fmt.Println("one 14 is", one(14))
	sum, text := named(3, "hello")
	fmt.Println("named 3 hello is", sum, text)
	n, text = escapes("es")
	fmt.Println("escapes es is", n, text)
	d, text := unnamed(40, 1, 30)
	fmt.Println("unnamed 40 30 is", d, text)
	fmt.Println("real 1.500000 4 is", real(1.5, 4))
	fmt.Println("element 1 of 3 is", element([]int32{7, -8, 9}, 1))
	p := structs(pair{2, "xy"}, [1]int{30}, [2]int{1, 10})
	fmt.Println("structs 2 xy 30 10 is", p.a, p.b)
	q := padding(padded{-1, 1 << 40, 300, inside{7, 2.5}, "long"}, tail{5, true}, -3)
	fmt.Println("padding -1 1099511627776 300 7 2.5 long 5 1 -3")
	fmt.Println("padding is", q.a, q.b, q.c, q.in.x, q.in.y, q.s)
	f := ten(floats{v0: 3, v9: 9, v10: 10}, 8)
	fmt.Println("ten 9 10 8")
	fmt.Println("ten is", f.v0, f.v9)
	fmt.Println("many 1 10 text is", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "text"))
	r0, _, _, _, _, _, _, _, r8, r9, s := results()
	fmt.Println("results is", r0, r8, r9, s)
	fmt.Println("add 4 to 5 is", c.add(4))
	fmt.Println("deep 2000 is", deep(2000))
	two, d3, three := arrays([3]int8{1, 2, 3}, 40)
	fmt.Println("arrays 1 40 is", two[0], two[1], d3, three[0], three[2])
	nothing()
	fmt.Println("nothing")
	e, d4 := generic([]int32{8}, 3)
	fmt.Println("generic 3 is", e, d4)
}
