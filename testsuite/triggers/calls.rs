// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of Rust functions with parameters and results of many kinds: prints each.
use std::hint::black_box;

pub struct Large { a: u64, b: u64, c: i64 }

#[inline(never)]
fn large(n: u64) -> Large { Large { a: n, b: black_box(n) * 2, c: -1 } }

#[inline(never)]
fn array(n: u64) -> [u64; 4] { [n, n + 1, black_box(n) + 2, 9] }

#[inline(never)]
fn text(s: &str, n: usize) -> usize { black_box(s); s.len() + black_box(n) * s.as_bytes()[0] as usize }

#[inline(never)]
fn part(n: usize) -> &'static str { &"abcdefgh"[black_box(n)..] }

#[inline(never)]
fn maybe(n: u64) -> Option<u64> { if n > 3 { Some(n * 2) } else { None } }

#[inline(never)]
fn takes(n: i32, l: Large, last: u16) -> u64 { black_box(n as u64).wrapping_add(l.b) + last as u64 }

#[inline(never)]
extern "C" fn foreign(n: i32, l: Large, last: u16) -> Large { Large { a: l.c as u64, b: black_box(l.b) + n as u64, c: black_box(last) as i64 } }

#[inline(never)]
fn changed(n: u64, unused: u64) -> u64 { black_box(n) + 1 }

fn main() {
    let args = std::env::args().count() as u64;
    for i in [args, args + 4] {
        let l = large(i);
        println!("large {} is {} {} {}", i, l.a, l.b, l.c);
        println!("array {} is {:?}", i, array(i));
        let s = if i > args { "words" } else { "some more" };
        println!("text {} {} is {}", s, i, text(s, i as usize));
        println!("part {} is {}", i, part(i as usize));
        let m = maybe(i);
        println!("maybe {} is {} {}", i, m.is_some() as i32, m.unwrap_or(0));
        takes(3, l, 500);
        println!("takes {} {} {}", 3, i * 2, 500);
        println!("foreign {} {} {}", 4, i * 2, 600);
        println!("foreign is {}", foreign(4, Large { a: 1, b: i * 2, c: 2 }, 600).b);
        changed(i, i * 7);
        println!("changed {} {}", i, i * 7);
    }
}
