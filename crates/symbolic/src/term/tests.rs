//! Every constructor against arithmetic on numbers, on random terms and random values.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::divide::{sdiv, srem, udiv, urem};
use super::{Assignment, Sort, TermId, Terms, mask, signed};

/// One step of a random program: an operation and where its operands are among the terms made so far.
type Step = (u8, u8, u8, u8, u8);

/// Terms with the values that they should have, computed beside them.
struct Bench {
    terms: Terms,
    pool: Vec<(TermId, u128)>,
    assignment: Assignment,
}

impl Bench {
    fn new(values: &[u128]) -> Self {
        let mut bench = Bench { terms: Terms::new(), pool: Vec::new(), assignment: Assignment::new() };
        let widths = [1, 4, 4, 8, 8, 8, 32, 128];
        for (i, value) in values.iter().enumerate() {
            let width = widths[i % widths.len()];
            let t = bench.terms.variable(Sort::Bits(width), format!("x{i}"));
            bench.add_variable(t, value & mask(width));
        }
        for i in 0..3 {
            let t = bench.terms.variable(Sort::Bool, format!("p{i}"));
            bench.add_variable(t, values[i % values.len()] >> i & 1);
        }
        bench
    }

    fn add_variable(&mut self, t: TermId, value: u128) {
        let v = self.terms.as_variable(t).expect("an unknown");
        self.assignment.set(v, value);
        self.pool.push((t, value));
    }

    /// A term of this sort, the one nearest to a place.
    fn of_sort(&self, sort: Sort, at: u8) -> (TermId, u128) {
        let matching: Vec<_> = self.pool.iter().filter(|(t, _)| self.terms.sort(*t) == sort).collect();
        // Mostly the youngest ones, so that terms become deep.
        *matching[matching.len() - 1 - (at as usize % matching.len())]
    }

    fn step(&mut self, (op, x, y, z, k): Step) {
        let bits: Vec<usize> = (0..self.pool.len()).filter(|i| self.terms.width(self.pool[*i].0) > 0).collect();
        let (a, va) = self.pool[bits[bits.len() - 1 - x as usize % bits.len()]];
        let width = self.terms.width(a);
        let full = mask(width);
        let (b, vb) = self.of_sort(Sort::Bits(width), y);
        let (p, vp) = self.of_sort(Sort::Bool, x);
        let (q, vq) = self.of_sort(Sort::Bool, y);
        let (r, vr) = self.of_sort(Sort::Bool, z);
        let ts = &mut self.terms;
        let by = vb.min(128) as u32;
        let inside = by < u32::from(width);
        let fits = |n: u8| n.clamp(1, 128);
        let new = match op % 36 {
            0 => (ts.add(a, b), va.wrapping_add(vb) & full),
            1 => (ts.sub(a, b), va.wrapping_sub(vb) & full),
            2 => (ts.neg(a), va.wrapping_neg() & full),
            3 => (ts.mul(a, b), va.wrapping_mul(vb) & full),
            4 => (ts.udiv(a, b), udiv(va, vb) & full),
            5 => (ts.urem(a, b), urem(va, vb) & full),
            6 => (ts.sdiv(a, b), sdiv(va, vb, width) & full),
            7 => (ts.srem(a, b), srem(va, vb, width) & full),
            8 => (ts.bit_and(a, b), va & vb),
            9 => (ts.bit_or(a, b), va | vb),
            10 => (ts.bit_xor(a, b), va ^ vb),
            11 => (ts.bit_not(a), !va & full),
            12 => (ts.shl(a, b), if inside { va << by & full } else { 0 }),
            13 => (ts.lshr(a, b), if inside { va >> by } else { 0 }),
            14 => {
                let n = if inside { by } else { u32::from(width) - 1 };
                (ts.ashr(a, b), (signed(va, width) >> n) as u128 & full)
            }
            15 | 16 => {
                let (low, high) = (k % width, z % width);
                let (low, high) = (low.min(high), low.max(high));
                (ts.extract(a, high, low), va >> low & mask(high - low + 1))
            }
            17 | 18 => {
                let (c, vc) = self.pool[bits[z as usize % bits.len()]];
                let w = self.terms.width(c);
                if u16::from(w) + u16::from(width) > 128 {
                    return;
                }
                (self.terms.concat(a, c), va << w | vc)
            }
            19 => {
                let w = fits(width.saturating_add(k % 40));
                (ts.zext(a, w), va)
            }
            20 => {
                let w = fits(width.saturating_add(k % 40));
                (ts.sext(a, w), signed(va, width) as u128 & mask(w))
            }
            21 => (ts.eq(a, b), u128::from(va == vb)),
            22 => (ts.ne(a, b), u128::from(va != vb)),
            23 => (ts.ult(a, b), u128::from(va < vb)),
            24 => (ts.ule(a, b), u128::from(va <= vb)),
            25 => (ts.slt(a, b), u128::from(signed(va, width) < signed(vb, width))),
            26 => (ts.sle(a, b), u128::from(signed(va, width) <= signed(vb, width))),
            27 => (ts.ite(p, a, b), if vp == 1 { va } else { vb }),
            28 => (ts.ite(p, q, r), if vp == 1 { vq } else { vr }),
            29 => (ts.and_all(&[p, q, r]), vp & vq & vr),
            30 => (ts.or(p, q), vp | vq),
            31 => (ts.or_all(&[p, q, r]), vp | vq | vr),
            32 => (ts.not(p), 1 - vp),
            33 => (ts.xor(p, q), vp ^ vq),
            34 => {
                let value = (u128::from(k) | u128::from(z) << 64) & full;
                (ts.constant(width, value), value)
            }
            _ => {
                let value = u128::from(k) & full;
                (ts.constant(width, value), value)
            }
        };
        self.pool.push(new);
        // What a constructor made of constants and choices: often, or those would be rare.
        if op >= 200 {
            let value = u128::from(z % 3) & full;
            let c = self.terms.constant(width, value);
            let d = self.terms.constant(width, vb);
            self.pool.push((c, value));
            self.pool.push((self.terms.ite(p, c, d), if vp == 1 { value } else { vb }));
        }
    }
}

fn values() -> impl Strategy<Value = Vec<u128>> {
    let value = prop_oneof![0u128..4, any::<u128>(), Just(u128::MAX), Just(0x80), Just(0x8000_0000)];
    prop::collection::vec(value, 8..=8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    /// Terms have the values of the operations that made them, within their intervals, and keep them when rebuilt.
    #[test]
    fn constructors_keep_values(values in values(), steps in prop::collection::vec(any::<Step>(), 1..40)) {
        let mut bench = Bench::new(&values);
        for step in steps {
            bench.step(step);
        }
        let roots: Vec<TermId> = bench.pool.iter().map(|(t, _)| *t).collect();
        let found = bench.terms.eval_all(&roots, &bench.assignment);
        for (t, value) in &bench.pool {
            prop_assert_eq!(found[t], *value, "{}", bench.terms.print(*t));
            let (low, high) = bench.terms.interval(*t);
            prop_assert!(low <= *value && *value <= high, "{} is not in {}..={}", value, low, high);
        }
        // Unknowns by their values: everything folds to a constant.
        let mut map = FxHashMap::default();
        for (t, value) in bench.pool.clone() {
            if bench.terms.as_variable(t).is_some() {
                let width = bench.terms.width(t);
                let c = if width == 0 { bench.terms.bool(value == 1) } else { bench.terms.constant(width, value) };
                map.insert(t, c);
            }
        }
        for (t, value) in bench.pool.clone() {
            let folded = bench.terms.substitute(t, &mut map);
            let constant = bench.terms.as_constant(folded).or(bench.terms.as_bool(folded).map(u128::from));
            prop_assert_eq!(constant, Some(value), "{}", bench.terms.print(t));
        }
    }
}

#[test]
fn sums_and_products_have_one_form() {
    let mut ts = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| ts.variable(Sort::Bits(32), n));
    let xy = ts.add(x, y);
    let one_way = ts.add(xy, z);
    let zy = ts.add(z, y);
    let other_way = ts.add(zy, x);
    assert_eq!(one_way, other_way);
    let (p, q) = (ts.mul(x, y), ts.mul(y, x));
    assert_eq!(p, q);
    // (x + 3)(x - 3) = x*x - 9
    let three = ts.constant(32, 3);
    let (a, b) = (ts.add(x, three), ts.sub(x, three));
    let product = ts.mul(a, b);
    let square = ts.mul(x, x);
    let nine = ts.constant(32, 9);
    let expected = ts.sub(square, nine);
    assert_eq!(product, expected);
    // 3x = 3y exactly if x = y, and 2x + 1 is never 2y.
    let (tx, ty) = (ts.scale(x, 3), ts.scale(y, 3));
    let (left, right) = (ts.eq(tx, ty), ts.eq(x, y));
    assert_eq!(left, right);
    let (dx, dy) = (ts.scale(x, 2), ts.scale(y, 2));
    let one = ts.constant(32, 1);
    let odd = ts.add(dx, one);
    assert_eq!(ts.eq(odd, dy), Terms::FALSE);
}

#[test]
fn guards_of_two_branches_are_the_guard_before() {
    let mut ts = Terms::new();
    let [g, h, c] = ["g", "h", "c"].map(|n| ts.variable(Sort::Bool, n));
    let before = ts.and(g, h);
    let not_c = ts.not(c);
    let (left, right) = (ts.and(before, c), ts.and(before, not_c));
    assert_eq!(ts.or(left, right), before);
    assert_eq!(ts.and(left, right), Terms::FALSE);
}

#[test]
fn bytes_put_together_again_are_the_word() {
    let mut ts = Terms::new();
    let x = ts.variable(Sort::Bits(32), "x");
    let bytes: Vec<TermId> = (0..4).map(|i| ts.extract(x, 8 * i + 7, 8 * i)).collect();
    let word = bytes[1..].iter().fold(bytes[0], |low, byte| ts.concat(*byte, low));
    assert_eq!(word, x);
    let (low, high) = (ts.concat(bytes[1], bytes[0]), ts.concat(bytes[3], bytes[2]));
    assert_eq!(ts.concat(high, low), x);
}

#[test]
fn a_truth_value_as_a_number_is_the_truth_value() {
    let mut ts = Terms::new();
    let c = ts.variable(Sort::Bool, "c");
    let bit = ts.bit(c);
    let word = ts.zext(bit, 32);
    assert_eq!(ts.nonzero(word), c);
    let one = ts.constant(1, 1);
    let flipped = ts.bit_xor(bit, one);
    let not_c = ts.not(c);
    assert_eq!(ts.eq(flipped, one), not_c);
}
