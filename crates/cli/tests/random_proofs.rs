//! Random programs with inputs of a few values: a native search with all of them against `heddle prove`. The verdicts are equal.
//!
//! `HEDDLE_PROOFS` is how many programs are made; `./x fuzz proofs` makes many.

use std::fmt::Write as _;

use crate::common::{Session, can_use, must_replay, number, seed};
use heddle_testkit::generate::Random;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nextern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_assume(int);\nstatic int input(void) { int v = __VERIFIER_nondet_int(); __VERIFIER_assume(v >= 0 && v < 4); return v; }\n\
    int x, y, a[4];\natomic_int z;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    #define L(l) pthread_mutex_lock(&l)\n#define U(l) pthread_mutex_unlock(&l)\n";

/// A value that a thread computes with.
fn value(random: &mut Random) -> &'static str {
    ["v", "w", "v + 1", "v ^ w", "x", "y", "2"][random.below(7) as usize]
}

/// An action without a lock of its own.
fn action(random: &mut Random) -> String {
    let value = value(random);
    match random.below(7) {
        0 => format!("x = {value};"),
        1 => format!("y += {value};"),
        2 => format!("a[({value}) & 3]++;"),
        3 => format!("w = a[v & 3] + {value};"),
        4 => format!("if (x == {value}) y = v;"),
        5 => "w = atomic_fetch_add(&z, v);".to_owned(),
        _ => format!("v = {value};"),
    }
}

fn statement(random: &mut Random) -> String {
    let (one, two) = (action(random), action(random));
    match random.below(6) {
        0..3 => format!("L(m); {one} {two} U(m);"),
        3 => format!("if (v > 1) {{ L(n); {one} U(n); }}"),
        4 => format!("L(n); L(m); {one} U(m); U(n);"),
        // The other order: together with the one above, a deadlock.
        _ => format!("if (v == 2) {{ L(m); L(n); {two} U(n); U(m); }}"),
    }
}

fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_owned();
    for thread in 0..2 {
        let lines: String = (0..1 + random.below(2)).map(|_| statement(random) + " ").collect();
        let _ = writeln!(text, "void *t{thread}(void *p) {{ int v = input(), w = 0; {lines}return p; }}");
    }
    let (p, b) = (["x", "y", "a[1]", "z", "a[2]"][random.below(5) as usize], 1 + random.below(5));
    let _ = writeln!(
        text,
        "int main(void) {{ pthread_t t[2]; pthread_create(&t[0], 0, t0, 0); pthread_create(&t[1], 0, t1, 0);\n\
         pthread_join(t[0], 0); pthread_join(t[1], 0);\nassert({p} != {b}); return 0; }}"
    );
    text
}

#[test]
fn proofs_agree_with_runs() {
    let session = Session::new();
    let empty = session.write("empty.c", "int main(void) { return 0; }\n");
    let able = session.run(["prove", empty.to_str().expect("a name")]).code == 0;
    if !can_use("a clang whose libLLVM can be opened", able) {
        return;
    }
    let first = seed(1);
    let (mut safe, mut found) = (0, 0);
    for number in first..first + number("HEDDLE_PROOFS", 12) {
        let text = program(&mut Random::new(number));
        let session = Session::new();
        let file = session.write("program.c", &text);
        let file = file.to_str().expect("a name");
        let run = session.run([
            "check",
            "--json",
            file,
            "--nondet",
            "0..3",
            "--races",
            "ignore",
            "--minimise",
            "off",
            "--timeout",
            "60s",
        ]);
        // Every engine alone, and the encodings in turns: they take their time.
        let encoding = ["uw-order", "order"][(number % 2) as usize];
        for engine in [&["--engine", "order", "--encoding", encoding], &["--engine", "trace", "--algorithm", "optimal"]]
        {
            let words = ["prove", "--json", file, "--minimise", "off", "--timeout", "60s"];
            let proof = session.run(words.iter().chain(engine));
            must_replay(&session, &proof);
            let (ran, proved) = (run.json(), proof.json());
            assert_eq!(ran["verdict"], proved["verdict"], "HEDDLE_SEED={number}, {engine:?}\n{text}\n{run}\n{proof}");
            match proved["verdict"].as_str() {
                Some("safe") => safe += 1,
                Some("found") => found += 1,
                _ => panic!("HEDDLE_SEED={number}\n{text}\n{proof}"),
            }
        }
    }
    println!("{safe} safe, {found} found");
    assert!(first != 1 || safe > 0 && found > 0, "the programs are of one kind: {safe} safe, {found} found");
}
