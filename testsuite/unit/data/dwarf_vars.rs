// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of Rust programs, for test_dwarf_vars.c; see dwarf_vars.c.
use std::hint::black_box;

struct Point { x: i16, y: u32, name: &'static str }
enum Shape { Circle(u64), Square { side: i8, at: Point }, Empty }

#[inline(never)]
fn plain(a: i8, b: u64, c: bool, d: char, e: f64, f: f32) -> i64 {
    let sum = a as i64 + b as i64;
    black_box(sum);
    black_box((c, d, e, f)); // stop: a; b; c; e; f; sum
    sum
}

#[inline(never)]
fn places(p: &Point, list: &[u16], shape: &Shape) -> u32 {
    let n = match shape { Shape::Circle(r) => *r as u32, Shape::Square { side, at } => *side as u32 + at.y, Shape::Empty => 0 };
    black_box(n);
    black_box(list); // stop: n; p.x; p.y; p.name.length; list.length; list.data_ptr[1]
    n + p.y
}

fn main() {
    let p = Point { x: -5, y: 4_000_000_000, name: "point" };
    let q = Point { x: 1, y: 2, name: "q" };
    black_box(plain(-8, 1 << 60, true, 'x', 2.5, -0.5));
    black_box(places(&p, &[1, 65535, 3], &Shape::Square { side: -3, at: q }));
    black_box(places(&p, &[9, 8], &Shape::Circle(9)));
    black_box(places(&p, &[1, 2], &Shape::Empty));
}
