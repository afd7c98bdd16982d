//! Random programs with threads against brute force: all interleavings of single loads and stores, for all inputs of a small range.
//!
//! The programs share variables, an array with open indices and a pointer, with and without a lock. Whether the assertion at the end can
//! fail is decided twice: by a search over all states of a small model of the program, and from its C source.

use std::collections::HashSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

use heddle_symbolic::prove::{Conclusion, Given, Question};

use crate::common::{ENGINES, read};

/// What a step computes with: constants, registers of the thread, the input.
#[derive(Clone, Copy, Debug)]
enum Term {
    Constant(i32),
    Register(usize),
    Plus(usize, i32),
    Input,
}

/// Where a step reads or writes. Cells 0 to 2 are variables, 3 and 4 an array.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Variable(usize),
    /// The array at the lowest bit of a register.
    Array(usize),
    /// Through a pointer that was loaded into a register.
    Through(usize),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Load(usize, Cell),
    Store(Cell, Term),
    /// Points the shared pointer at a variable.
    Point(usize),
    /// Loads the shared pointer.
    LoadPointer(usize),
    Lock,
    Unlock,
    /// Skips so many steps unless a register is a constant.
    Unless(usize, i32, usize),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    registers: Vec<[i32; 3]>,
    cells: [i32; 5],
    pointer: usize,
    owner: Option<usize>,
}

struct Program {
    threads: Vec<Vec<Step>>,
    /// What the end must not be: values of two cells.
    never: [(usize, i32); 2],
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn term(&mut self) -> Term {
        match self.below(4) {
            0 => Term::Constant(self.below(3) as i32),
            1 => Term::Register(self.below(2) as usize),
            2 => Term::Plus(self.below(2) as usize, 1),
            _ => Term::Input,
        }
    }

    /// Registers 0 and 1 hold numbers, 2 a pointer.
    fn action(&mut self, steps: &mut Vec<Step>) {
        match self.below(8) {
            0 | 1 => steps.push(Step::Load(self.below(2) as usize, Cell::Variable(self.below(3) as usize))),
            2 | 3 => {
                let term = self.term();
                steps.push(Step::Store(Cell::Variable(self.below(3) as usize), term));
            }
            4 => steps.push(Step::Load(self.below(2) as usize, Cell::Array(self.below(2) as usize))),
            5 => {
                let term = self.term();
                steps.push(Step::Store(Cell::Array(self.below(2) as usize), term));
            }
            6 => steps.push(Step::Point(self.below(3) as usize)),
            _ => {
                steps.push(Step::LoadPointer(2));
                let step = match self.below(2) {
                    0 => Step::Load(self.below(2) as usize, Cell::Through(2)),
                    _ => Step::Store(Cell::Through(2), self.term()),
                };
                steps.push(step);
            }
        }
    }

    fn thread(&mut self, length: u64) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..length {
            match self.below(5) {
                0 => {
                    steps.push(Step::Lock);
                    self.action(&mut steps);
                    self.action(&mut steps);
                    steps.push(Step::Unlock);
                }
                1 => {
                    let mut inside = Vec::new();
                    self.action(&mut inside);
                    steps.push(Step::Unless(self.below(2) as usize, self.below(2) as i32, inside.len()));
                    steps.extend(inside);
                }
                _ => self.action(&mut steps),
            }
        }
        steps
    }
}

/// Cells that an assertion names. The generator begins with 0 everywhere and the pointer at the first variable.
fn generate(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let count = 2 + random.below(2) as usize;
    let length = if count == 2 { 3 } else { 2 };
    let threads = (0..count).map(|_| random.thread(length)).collect();
    let a = random.below(5) as usize;
    let b = (a + 1 + random.below(4) as usize) % 5;
    Program { threads, never: [(a, random.below(3) as i32), (b, random.below(3) as i32)] }
}

impl Program {
    fn value(term: Term, registers: &[i32; 3], input: i32) -> i32 {
        match term {
            Term::Constant(value) => value,
            Term::Register(reg) => registers[reg],
            Term::Plus(reg, value) => registers[reg] + value,
            Term::Input => input,
        }
    }

    /// Whether the assertion can fail for this input.
    fn fails(&self, input: i32) -> bool {
        let threads = self.threads.len();
        let start =
            State { at: vec![0; threads], registers: vec![[0; 3]; threads], cells: [0; 5], pointer: 0, owner: None };
        let mut seen = HashSet::new();
        let mut stack = vec![start];
        while let Some(state) = stack.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            let mut ended = true;
            for t in 0..threads {
                let Some(step) = self.threads[t].get(state.at[t]) else { continue };
                ended = false;
                let mut next = state.clone();
                next.at[t] += 1;
                let registers = &mut next.registers[t];
                let cell = |cell: Cell, registers: &[i32; 3]| match cell {
                    Cell::Variable(index) => index,
                    Cell::Array(reg) => 3 + (registers[reg] & 1) as usize,
                    Cell::Through(reg) => registers[reg] as usize,
                };
                match *step {
                    Step::Load(reg, place) => registers[reg] = state.cells[cell(place, registers)],
                    Step::Store(place, term) => {
                        let value = Self::value(term, registers, input);
                        next.cells[cell(place, &next.registers[t])] = value;
                    }
                    Step::Point(index) => next.pointer = index,
                    Step::LoadPointer(reg) => registers[reg] = state.pointer as i32,
                    Step::Lock if state.owner.is_some() => continue,
                    Step::Lock => next.owner = Some(t),
                    Step::Unlock => next.owner = None,
                    Step::Unless(reg, value, skip) => {
                        if registers[reg] != value {
                            next.at[t] += skip;
                        }
                    }
                }
                stack.push(next);
            }
            if ended && self.never.iter().all(|(cell, value)| state.cells[*cell] == *value) {
                return true;
            }
        }
        false
    }

    fn source(&self) -> String {
        let mut text = "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n\
                        extern void __VERIFIER_assume(int);\n\
                        static int v0, v1, v2, a[2], *p = &v0, n; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
            .to_owned();
        let name = |cell: usize| if cell < 3 { format!("v{cell}") } else { format!("a[{}]", cell - 3) };
        let place = |cell: Cell| match cell {
            Cell::Variable(index) => format!("v{index}"),
            Cell::Array(reg) => format!("a[r{reg} & 1]"),
            Cell::Through(_) => "*q".to_owned(),
        };
        for (t, steps) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "static void *f{t}(void *arg) {{ int in = n, r0 = 0, r1 = 0, *q = &v0;");
            let mut close = Vec::new();
            for (index, step) in steps.iter().enumerate() {
                let _ = match *step {
                    Step::Load(reg, from) => writeln!(text, "r{reg} = {};", place(from)),
                    Step::Store(to, term) => {
                        let value = match term {
                            Term::Constant(value) => value.to_string(),
                            Term::Register(reg) => format!("r{reg}"),
                            Term::Plus(reg, value) => format!("r{reg} + {value}"),
                            Term::Input => "in".to_owned(),
                        };
                        writeln!(text, "{} = {value};", place(to))
                    }
                    Step::Point(index) => writeln!(text, "p = &v{index};"),
                    Step::LoadPointer(_) => writeln!(text, "q = p;"),
                    Step::Lock => writeln!(text, "pthread_mutex_lock(&m);"),
                    Step::Unlock => writeln!(text, "pthread_mutex_unlock(&m);"),
                    Step::Unless(reg, value, skip) => {
                        close.push(index + skip);
                        writeln!(text, "if (r{reg} == {value}) {{")
                    }
                };
                if close.last() == Some(&index) && !matches!(step, Step::Unless(..)) {
                    close.pop();
                    text.push_str("}\n");
                }
            }
            text.push_str("return 0; }\n");
        }
        text.push_str(
            "int main(void) { pthread_t t[3]; n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 3);\n",
        );
        for t in 0..self.threads.len() {
            let _ = writeln!(text, "pthread_create(&t[{t}], 0, f{t}, 0);");
        }
        for t in 0..self.threads.len() {
            let _ = writeln!(text, "pthread_join(t[{t}], 0);");
        }
        let [(a, x), (b, y)] = self.never;
        let _ = writeln!(text, "assert(!({} == {x} && {} == {y}));\nreturn 0; }}", name(a), name(b));
        text
    }
}

#[test]
fn random_threads_have_the_verdict_of_brute_force() {
    let (first, count) = match std::env::var("HEDDLE_SEEDS") {
        Ok(range) => {
            let (first, count) = range.split_once('+').expect("FIRST+COUNT");
            (first.parse().expect("a number"), count.parse().expect("a number"))
        }
        Err(_) => (0, 20),
    };
    let (mut bad, mut wrong) = (0, Vec::new());
    for seed in first..first + count {
        let program = generate(seed);
        let source = program.source();
        let Some(module) = read(&source) else { return };
        let module = module.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
        let expected = (0..3).any(|input| program.fails(input));
        for engine in &ENGINES[..3] {
            let question = Question { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Question::default() };
            let found = match engine.asked(&module, &question) {
                Ok((Conclusion::Safe(_), _)) => false,
                Ok((Conclusion::Found(found), _)) => {
                    let small = |given: &Given| given.input.value < 3;
                    assert!(found[0].inputs.iter().all(small), "seed {seed}: {found:?}");
                    true
                }
                other => panic!("seed {seed}, {engine:?}: {other:?}\n{source}"),
            };
            if found != expected {
                wrong.push(format!("seed {seed}, {engine:?}: {found}, not {expected}\n{source}"));
            }
        }
        bad += usize::from(expected);
    }
    assert!(wrong.is_empty(), "{} wrong, {bad} of {count} can fail\n{}", wrong.len(), wrong.join("\n"));
    eprintln!("{bad} of {count} can fail");
}
