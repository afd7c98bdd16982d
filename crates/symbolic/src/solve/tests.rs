//! The blaster against all values, the graph against a search from scratch, proofs against their checker.

use proptest::prelude::*;

use super::{Answer, Backend, Blaster, Budget, Cdclt, CheckError, Graph, Lit, Node};
use crate::term::{Assignment, Sort, TermId, Terms};

/// A small generator of numbers, for tests that choose much.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// A random boolean over a few small unknowns.
fn random_condition(terms: &mut Terms, random: &mut Random) -> (Vec<TermId>, TermId) {
    let width = 1 + random.below(4) as u8;
    let unknowns: Vec<TermId> = (0..3).map(|i| terms.variable(Sort::Bits(width), format!("x{i}"))).collect();
    let flag = terms.variable(Sort::Bool, "p");
    let mut pool = unknowns.clone();
    let mut bools = vec![flag];
    for _ in 0..1 + random.below(10) {
        let (a, b) = (pool[random.below(pool.len())], pool[random.below(pool.len())]);
        let p = bools[random.below(bools.len())];
        let q = bools[random.below(bools.len())];
        let t = match random.below(24) {
            0 => terms.add(a, b),
            1 => terms.sub(a, b),
            2 => terms.mul(a, b),
            3 => terms.udiv(a, b),
            4 => terms.urem(a, b),
            5 => terms.sdiv(a, b),
            6 => terms.srem(a, b),
            7 => terms.bit_and(a, b),
            8 => terms.bit_or(a, b),
            9 => terms.bit_xor(a, b),
            10 => terms.shl(a, b),
            11 => terms.lshr(a, b),
            12 => terms.ashr(a, b),
            13 => {
                let k = random.below(16) as u128;
                terms.constant(width, k)
            }
            14 => {
                let wide = terms.sext(a, width + 2);
                let high = terms.extract(wide, width, 1);
                terms.add(high, b)
            }
            15 => {
                let joined = terms.concat(a, b);
                terms.extract(joined, width, 1)
            }
            16 => {
                let k = 1 + random.below(15) as u128;
                terms.scale(a, k)
            }
            17 | 18 => terms.ite(p, a, b),
            19 => {
                bools.push(terms.eq(a, b));
                continue;
            }
            20 => {
                bools.push(terms.ult(a, b));
                continue;
            }
            21 => {
                bools.push(terms.slt(a, b));
                continue;
            }
            22 => {
                bools.push(terms.and(p, q));
                continue;
            }
            _ => {
                let r = terms.xor(p, q);
                bools.push(terms.not(r));
                continue;
            }
        };
        pool.push(t);
    }
    let (a, b) = (pool[pool.len() - 1], pool[random.below(pool.len())]);
    let k = random.below(4) as u128;
    let constant = terms.constant(width, k);
    let mut all = vec![bools[bools.len() - 1]];
    all.push(terms.eq(a, constant));
    all.push(if random.below(2) == 0 { terms.ule(b, a) } else { terms.ne(a, b) });
    all.truncate(1 + random.below(3));
    let last = terms.and_all(&all);
    let root = if random.below(4) == 0 { terms.not(last) } else { last };
    let mut inputs = unknowns;
    inputs.push(flag);
    (inputs, root)
}

/// Whether there are values that make it true: all are tried.
fn satisfiable(terms: &Terms, inputs: &[TermId], root: TermId) -> bool {
    let widths: Vec<u32> = inputs.iter().map(|t| u32::from(terms.width(*t).max(1))).collect();
    let total: u32 = widths.iter().sum();
    (0u128..1 << total).any(|mut code| {
        let mut assignment = Assignment::new();
        for (t, width) in inputs.iter().zip(&widths) {
            assignment.set(terms.as_variable(*t).expect("an unknown"), code & ((1 << width) - 1));
            code >>= width;
        }
        terms.eval(root, &assignment) == 1
    })
}

#[test]
fn random_terms_against_all_values() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut counts = [0, 0];
    for _ in 0..1500 {
        let mut terms = Terms::new();
        let (inputs, root) = random_condition(&mut terms, &mut random);
        let expected = satisfiable(&terms, &inputs, root);
        let mut backend = Cdclt::with_proof();
        let mut blaster = Blaster::new(&mut backend);
        blaster.clause(&terms, &mut backend, &[root]);
        let answer = backend.solve(&[], Budget::unlimited());
        assert_eq!(answer == Answer::Sat, expected, "{}", terms.print(root));
        if expected {
            let model = blaster.assignment(&terms, &backend);
            assert_eq!(terms.eval(root, &model), 1, "{}", terms.print(root));
        } else {
            backend.proof().expect("a proof").check(&[]).expect("it holds");
        }
        counts[usize::from(expected)] += 1;
    }
    assert!(counts[0] > 100 && counts[1] > 100, "one-sided: {counts:?}");
}

#[test]
fn equations_under_guards() {
    let mut random = Random(77);
    for _ in 0..300 {
        let mut terms = Terms::new();
        let (inputs, root) = random_condition(&mut terms, &mut random);
        let (x, y) = (inputs[0], terms.mul(inputs[1], inputs[2]));
        let mut backend = Cdclt::new();
        let mut blaster = Blaster::new(&mut backend);
        let guard = blaster.lit(&terms, &mut backend, root);
        blaster.guarded_eq(&terms, &mut backend, guard, x, y);
        let same = terms.eq(x, y);
        let both = terms.and(root, same);
        let differ = terms.not(same);
        assert_eq!(backend.solve(&[guard], Budget::unlimited()) == Answer::Sat, satisfiable(&terms, &inputs, both));
        let wrong = blaster.lit(&terms, &mut backend, differ);
        assert_eq!(backend.solve(&[guard, wrong], Budget::unlimited()), Answer::Unsat);
    }
}

/// Whether edges have a cycle: removes sources until none is left.
fn cyclic(nodes: usize, edges: &[(Node, Node)]) -> bool {
    let mut left: Vec<bool> = vec![true; nodes];
    loop {
        let source =
            (0..nodes).find(|n| left[*n] && !edges.iter().any(|(a, b)| *b as usize == *n && left[*a as usize]));
        match source {
            Some(n) => left[n] = false,
            None => return left.contains(&true),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Edges come and go; the graph refuses exactly those that close a cycle, and names one.
    #[test]
    fn graphs_refuse_cycles(steps in prop::collection::vec((0u32..8, 0u32..8, 0u8..5), 1..60)) {
        let mut graph = Graph::default();
        graph.reserve(7);
        let mut edges: Vec<(Node, Node)> = Vec::new();
        let mut path = Vec::new();
        for (a, b, what) in steps {
            if what == 0 {
                let keep = edges.len() / 2;
                graph.truncate(keep);
                edges.truncate(keep);
                continue;
            }
            let mut with = edges.clone();
            with.push((a, b));
            let fine = graph.add(a, b, edges.len() as u32, &mut path);
            prop_assert_eq!(fine, !cyclic(8, &with));
            if fine {
                edges = with;
                prop_assert!(graph.reaches(a, b));
                path.clear();
                graph.explain(a, b, edges.len(), &mut path);
            } else {
                let mut cycle: Vec<(Node, Node)> = path.iter().map(|label| edges[*label as usize]).collect();
                cycle.push((a, b));
                prop_assert!(cyclic(8, &cycle));
            }
        }
    }
}

/// A random formula of clauses and edges: variables, clauses, conditional edges, fixed edges.
type Formula = (usize, Vec<Vec<Lit>>, Vec<(Lit, Node, Node)>, Vec<(Node, Node)>);

const NODES: usize = 6;

fn random_formula(random: &mut Random) -> Formula {
    let variables = 3 + random.below(7);
    let lit = |random: &mut Random| {
        let l = Lit::new(random.below(variables));
        if random.below(2) == 0 { l } else { !l }
    };
    let mut clauses = Vec::new();
    for _ in 0..random.below(3 * variables) {
        clauses.push((0..1 + random.below(3) + usize::from(random.below(4) > 0)).map(|_| lit(random)).collect());
    }
    let node = |random: &mut Random| random.below(NODES) as Node;
    let edges = (0..2 + random.below(16)).map(|_| (lit(random), node(random), node(random))).collect();
    let fixed = (0..random.below(4)).map(|_| (node(random), node(random))).filter(|(a, b)| a < b).collect();
    (variables, clauses, edges, fixed)
}

fn models((variables, clauses, edges, fixed): &Formula, assume: &[Lit]) -> bool {
    (0u32..1 << variables).any(|model| {
        let truth = |l: &Lit| (model >> l.variable() & 1 == 1) == l.is_positive();
        let there = edges.iter().filter(|(l, ..)| truth(l)).map(|(_, a, b)| (*a, *b));
        let all: Vec<(Node, Node)> = fixed.iter().copied().chain(there).collect();
        assume.iter().all(truth) && clauses.iter().all(|c| c.iter().any(truth)) && !cyclic(NODES, &all)
    })
}

#[test]
fn random_clauses_and_edges_against_all_models() {
    let mut random = Random(4711);
    let mut counts = [0, 0];
    for round in 0..3000 {
        let formula = random_formula(&mut random);
        let (variables, clauses, edges, fixed) = &formula;
        let mut backend = Cdclt::with_proof();
        if round % 3 == 0 {
            backend = backend.without_propagation();
        }
        for _ in 0..*variables {
            backend.variable(random.below(2) == 0);
        }
        for (a, b) in fixed {
            backend.fix(*a, *b);
        }
        // Some edges come after the first query.
        let later = edges.len() / 2;
        for (l, a, b) in &edges[later..] {
            backend.edge(*l, *a, *b);
        }
        for clause in clauses {
            backend.clause(clause);
        }
        backend.solve(&[], Budget::unlimited());
        for (l, a, b) in &edges[..later] {
            backend.edge(*l, *a, *b);
        }
        for _ in 0..3 {
            let assume: Vec<Lit> = (0..random.below(3))
                .map(|_| {
                    if random.below(2) == 0 {
                        Lit::new(random.below(*variables))
                    } else {
                        !Lit::new(random.below(*variables))
                    }
                })
                .collect();
            let expected = models(&formula, &assume);
            let answer = backend.solve(&assume, Budget::unlimited());
            assert_eq!(answer == Answer::Sat, expected, "{formula:?} {assume:?}");
            counts[usize::from(expected)] += 1;
            if !expected {
                let core = backend.core().to_vec();
                assert!(core.iter().all(|l| assume.contains(l)), "{core:?} of {assume:?}");
                assert!(!models(&formula, &core));
                backend.proof().expect("a proof").check(&core).expect("it holds");
            } else {
                let truth = |l: &Lit| backend.value(*l);
                assert!(clauses.iter().all(|c| c.iter().any(truth)) && assume.iter().all(truth));
                let there = edges.iter().filter(|(l, ..)| truth(l)).map(|(_, a, b)| (*a, *b));
                assert!(!cyclic(NODES, &fixed.iter().copied().chain(there).collect::<Vec<_>>()));
            }
        }
    }
    assert!(counts[0] > 500 && counts[1] > 500, "one-sided: {counts:?}");
}

/// Without one of its necessary steps a proof does not hold.
#[test]
fn broken_proofs_are_refused() {
    let mut backend = Cdclt::with_proof();
    let [a, b] = [backend.variable(true), backend.variable(true)];
    backend.edge(a, 0, 1);
    backend.edge(b, 1, 0);
    backend.clause(&[a]);
    backend.clause(&[b]);
    assert_eq!(backend.solve(&[], Budget::unlimited()), Answer::Unsat);
    backend.proof().expect("a proof").check(&[]).expect("it holds");
    let proof = backend.proof.as_ref().expect("a proof");
    let steps = proof.borrow().len();
    for step in 0..steps {
        let mut kept = std::mem::take(&mut *proof.borrow_mut());
        let dropped = kept.drop_step(step);
        let result = kept.check(&[]);
        let needed = !matches!(dropped, super::Step::Learnt(_));
        assert_eq!(result.is_err(), needed, "{dropped:?}: {result:?}");
        kept.insert_step(step, dropped);
        *proof.borrow_mut() = kept;
    }
    proof.borrow_mut().add(super::Step::Cycle([!a].into()));
    assert_eq!(proof.borrow().check(&[]), Err(CheckError::NoCycle(steps)));
}

#[test]
fn a_budget_ends_a_query() {
    let mut terms = Terms::new();
    let [x, y] = ["x", "y"].map(|n| terms.variable(Sort::Bits(32), n));
    let product = terms.mul(x, y);
    let prime = terms.constant(32, 0xffff_fffb);
    let one = terms.constant(32, 1);
    let (a, b) = (terms.ult(one, x), terms.ult(one, y));
    let wide = [x, y].map(|t| terms.zext(t, 64));
    let exact = terms.mul(wide[0], wide[1]);
    let value = terms.zext(prime, 64);
    let (c, d) = (terms.eq(product, prime), terms.eq(exact, value));
    let mut backend = Cdclt::new();
    let mut blaster = Blaster::new(&mut backend);
    for t in [a, b, c, d] {
        blaster.clause(&terms, &mut backend, &[t]);
    }
    let budget = Budget { conflicts: Some(100), ..Budget::default() };
    assert_eq!(backend.solve(&[], budget), Answer::Unknown);
    assert_eq!(backend.solve(&[], Budget::seconds(0.05)), Answer::Unknown);
    assert_eq!(backend.solve(&[], Budget { memory: Some(1), ..Budget::default() }), Answer::Unknown);
}
