//! Random programs with loops that wait, in C: every exhaustive algorithm against a search over states.
//!
//! A search over states knows no waits: loops really go round, and end because their states are known. What can come of a program must be
//! equal, and the algorithms with sleep sets must run equally many executions. The loops look at atomics, exchange them, look under a
//! mutex, write plain memory that is theirs, read it, and wait for variables on the stack of a function that is called again. Some look a few times
//! and then do something else: their looks are one, unless somebody can tell how many there were.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use crate::common::{clang, seed};
use heddle_model::{Execution, Outcome, Settings};
use heddle_native::compile::{Choice, Compiled, compile};
use heddle_native::{NativeExecutor, TemporaryDirectory};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop, Summary};
use heddle_testkit::generate::Random;

/// The executions after which a program is too large to be compared.
const LARGEST: u64 = 400;

const BEGINNING: &str = "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n#include <stddef.h>\n#include <stdlib.h>\n\
    static atomic_int a, b;\nstatic _Atomic(atomic_int *) box;\nstatic int own[3], shared;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\nstatic unsigned r[3];\n\
    static __attribute__((noinline)) void ask(void)\n{\n    atomic_int done = 0;\n    atomic_store(&box, &done);\n    \
    while (!atomic_load(&done)) {\n    }\n}\n\
    static __attribute__((noinline)) int enough(int *count)\n{\n    return ++*count > 2;\n}\n\
    static __attribute__((noinline)) void spin(atomic_int *place, int most, unsigned *result)\n{\n    \
    do {\n        int v = atomic_load(place);\n        if (v == 1)\n            return;\n        \
    if (v > 1 && atomic_compare_exchange_strong(place, &v, 0)) {\n            *result += 3;\n            return;\n        }\n    \
    } while (--most > 0);\n    *result += 1;\n}\n\
    static __attribute__((noinline)) void serve(int value)\n{\n    atomic_int *done;\n    \
    while (!(done = atomic_exchange(&box, NULL))) {\n    }\n    atomic_store(done, value);\n}\n";

/// Draws a statement of thread `t`. The second is one of another thread that it may have to wait for.
fn statement(random: &mut Random, t: usize) -> (String, Option<String>) {
    let atomic = ["a", "b"][random.below(2) as usize];
    let other = if atomic == "a" { "b" } else { "a" };
    let value = 1 + random.below(2);
    let body = match random.below(8) {
        0 | 1 => String::new(),
        2 => "sched_yield();".to_owned(),
        3 => format!("own[{t}] = {value};"),
        4 => format!("if (own[{t}] == {value}) break;"),
        5 => format!("own[{t}] = atomic_load(&{other});"),
        // Not a wait: it ends by itself.
        6 => format!("if (++own[{t}] > 1) break;"),
        _ => format!("if (atomic_load(&{other})) break;"),
    };
    let (condition, met_by) = [(">= 1", value), ("== 1", 1), ("== 2", 2), ("!= 0", value)][random.below(4) as usize];
    let set = |value: u64| Some(format!("atomic_store(&{atomic}, {value});"));
    let under_lock = |statement: &str| format!("pthread_mutex_lock(&m); {statement} pthread_mutex_unlock(&m);");
    match random.below(31) {
        0 | 1 => (format!("atomic_store(&{atomic}, {value});"), None),
        2 => (format!("atomic_fetch_add(&{atomic}, 1);"), None),
        3 | 4 => (format!("r[{t}] = r[{t}] * 3 + (unsigned)atomic_load(&{atomic});"), None),
        5 | 6 => (format!("while (!(atomic_load(&{atomic}) {condition})) {{ {body} }}"), set(met_by)),
        7 => (format!("for (int i = 0; i < 2 && !atomic_load(&{atomic}); i++) {{ r[{t}]++; }}"), None),
        8 => (
            format!("{{ int v; while (!(v = atomic_load(&{atomic}))) {{ own[{t}] = v; }} r[{t}] += (unsigned)v; }}"),
            set(value),
        ),
        9 => {
            (format!("while (atomic_exchange(&{atomic}, 1)) {{ {body} }} r[{t}]++; atomic_store(&{atomic}, 0);"), None)
        }
        10 => (
            format!(
                "{{ int v = 0; while (!atomic_compare_exchange_strong(&{atomic}, &v, 2)) {{ v = 0; {body} }} \
                 atomic_store(&{atomic}, 0); }}"
            ),
            None,
        ),
        11 | 12 => ("ask();".to_owned(), Some(format!("serve({value});"))),
        // Neither is a wait: they end by themselves, by a count in memory.
        13 => (
            format!("own[{t}] = 0; while (!atomic_load(&{atomic})) {{ if (++own[{t}] > 2) {{ r[{t}]++; break; }} }}"),
            None,
        ),
        14 => (
            format!(
                "own[{t}] = 0; for (;;) {{ int v; {} if (v || ++own[{t}] > 2) {{ r[{t}] += (unsigned)v; break; }} }}",
                under_lock("v = shared;")
            ),
            None,
        ),
        // What it has kept in memory decides whether it waits.
        15 | 16 => (
            format!(
                "own[{t}] = atomic_load(&{other}); \
                 while (!atomic_load(&{atomic})) {{ if (own[{t}] == {value}) {{ r[{t}] += 2; break; }} }}"
            ),
            set(value),
        ),
        17 => (under_lock(&format!("r[{t}] = r[{t}] * 3 + (unsigned)shared;")), None),
        18 => (
            format!(
                "if (pthread_mutex_trylock(&m)) {{ r[{t}] = r[{t}] * 3 + 2; }} else {{ r[{t}] *= 3; pthread_mutex_unlock(&m); }}"
            ),
            None,
        ),
        // Locks one mutex and tries the other. If that fails, it gives the first back, and begins again with it or with the other.
        19..=21 => {
            let (first, second) = if random.one_in(2) { ("m", "n") } else { ("n", "m") };
            let half = |first: &str, second: &str| {
                format!(
                    "pthread_mutex_lock(&{first}); if (!pthread_mutex_trylock(&{second})) break; pthread_mutex_unlock(&{first});"
                )
            };
            let in_turn = if random.one_in(3) { String::new() } else { half(second, first) };
            let inside = if random.one_in(2) { "shared++;".to_owned() } else { format!("r[{t}] += (unsigned)shared;") };
            (
                format!(
                    "for (;;) {{ {} {in_turn} }} {inside} pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
                    half(first, second)
                ),
                None,
            )
        }
        // Looks a few times, and then does something else. Some tell how often they have looked.
        25 => {
            let tells = ["", "+ (unsigned)s", "+ (s == 1)"][random.below(3) as usize];
            let kept = ["", "", "+ (unsigned)v"][random.below(3) as usize];
            (
                format!(
                    "{{ int s = 4, v = 0; while (--s >= 0) {{ v = atomic_load(&{atomic}); if (v {condition}) break; }} \
                     r[{t}] = r[{t}] * 3 + (s >= 0) {tells} {kept}; }}"
                ),
                set(met_by),
            )
        }
        26 => (
            format!("{{ int s = 0; for (; s < 3; s++) if (atomic_load(&{atomic})) {{ r[{t}]++; break; }} }}"),
            set(value),
        ),
        27 | 28 => {
            let more = ["", "else r[{t}]++;", "own[{t}] = v;", "if (s == 2) r[{t}] += 2;"][random.below(4) as usize];
            let more = more.replace("{t}", &t.to_string());
            (
                format!(
                    "{{ int s = 3, got = 0; while (!got && s-- > 0) {{ int v = atomic_load(&{atomic}); \
                     if (v > 0) {{ if (atomic_compare_exchange_strong(&{atomic}, &v, v - 1)) {{ got = 1; }} {more} }} }} \
                     r[{t}] = r[{t}] * 2 + (unsigned)got; }}"
                ),
                set(value),
            )
        }
        29 | 30 => {
            let sleep = under_lock(&format!("r[{t}] += 1 + (unsigned)shared;"));
            (format!("spin(&{atomic}, {}, &r[{t}]); {sleep}", 2 + random.below(3)), set(value))
        }
        // Waits until a call that counts in memory says that it is enough. Not a wait: it ends by itself.
        22 => (format!("while (!atomic_load(&{atomic})) {{ if (enough(&own[{t}])) {{ r[{t}]++; break; }} }}"), None),
        _ => {
            let kept = if random.one_in(3) { format!("own[{t}] = v;") } else { String::new() };
            let look = under_lock(&format!("v = shared; {kept}"));
            let wish = 1 + random.below(2);
            let ends = if random.one_in(2) { format!("v == {wish}") } else { "v".to_owned() };
            let value = if random.one_in(4) { value } else { wish };
            (
                format!("for (;;) {{ int v; {look} if ({ends}) break; }}"),
                Some(under_lock(&format!("shared = {value};"))),
            )
        }
    }
}

/// Draws a program, as a function named `program_{number}`.
fn draw(random: &mut Random, number: usize) -> String {
    let threads = 2 + random.one_in(3) as usize;
    let mut bodies = vec![Vec::new(); threads];
    for t in 0..threads {
        for _ in 0..1 + random.below(if threads == 2 { 3 } else { 2 }) {
            let (one, other) = statement(random, t);
            bodies[t].push(one);
            let releases = other.filter(|_| !random.one_in(8));
            if let Some(statement) = releases {
                let body = &mut bodies[(t + 1 + random.below(threads as u64 - 1) as usize) % threads];
                body.insert(random.below(body.len() as u64 + 1) as usize, statement);
            }
        }
    }
    let mut text = String::new();
    for (t, body) in bodies.iter().enumerate() {
        _ = writeln!(
            text,
            "static void *thread_{number}_{t}(void *x)\n{{\n    {}\n    return x;\n}}",
            body.join("\n    ")
        );
    }
    _ = writeln!(text, "static void program_{number}(void)\n{{\n    pthread_t threads[3];");
    for t in 1..threads {
        _ = writeln!(text, "    pthread_create(&threads[{t}], NULL, thread_{number}_{t}, NULL);");
    }
    _ = writeln!(text, "    thread_{number}_0(NULL);");
    for t in 1..threads {
        _ = writeln!(text, "    pthread_join(threads[{t}], NULL);");
    }
    let rest = "5 * (unsigned)atomic_load(&a) + 7 * (unsigned)atomic_load(&b)";
    _ = writeln!(text, "    r[0] = r[0] * 9 + r[1] * 3 + r[2] + {rest};\n}}");
    text
}

/// What can come of a program.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
struct Results {
    ends: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Observer for Results {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Visited | Outcome::Blocked => {}
            Outcome::Deadlock => drop(self.ends.insert("stuck".to_owned())),
            Outcome::Ended { ending, .. } => drop(self.ends.insert(format!("{ending:?}"))),
            other => drop(self.others.insert(format!("{other:?} {}", execution.message))),
        }
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        *self = Results::default();
    }
}

fn search(compiled: &Compiled, index: usize, algorithm: Algorithm) -> (Summary, Results) {
    let arguments = vec![index.to_string().into()];
    let options =
        heddle_native::Options { arguments, settings: Settings::default(), ..heddle_native::Options::default() };
    let mut executor = NativeExecutor::launch(&compiled.program, options).unwrap_or_else(|error| panic!("{error}"));
    let mut results = Results::default();
    // Those that are abandoned count, too.
    let most = if algorithm == Algorithm::Optimal { LARGEST } else { 8 * LARGEST };
    let options = Options { algorithm, max_executions: Some(most), ..Options::default() };
    let summary = Search::new(options).run(&mut executor, &mut results).unwrap_or_else(|error| panic!("{error}"));
    (summary, results)
}

/// Compares `count` random programs, built by `compiler` with `flag`.
fn agree(count: usize, compiler: &str, flag: &str) {
    let first = seed(1);
    let programs: Vec<String> = (0..count)
        .map(|number| draw(&mut Random::new((first + number as u64).wrapping_mul(7_368_787) ^ 0x77), number))
        .collect();
    let mut text = BEGINNING.to_owned()
        + &programs.concat()
        + "int main(int argc, char **argv)\n{\n    (void)argc;\n    switch (atoi(argv[1])) {\n";
    for number in 0..count {
        _ = writeln!(text, "    case {number}:\n        program_{number}();\n        break;");
    }
    text += "    }\n    exit((int)(r[0] % 101));\n}\n";
    let folder = TemporaryDirectory::new().expect("a directory");
    let path = folder.path().join("programs.c");
    std::fs::write(&path, &text).expect("it can be written");
    let words = [path.to_str().expect("a plain path"), flag, "-w"].map(str::to_owned);
    let choice = Choice::from_environment(Some(compiler.to_owned()));
    let compiled = compile(&words, &choice, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (mut wrong, mut compared, mut with_several) = (Vec::new(), 0, 0);
    for (index, program) in programs.iter().enumerate() {
        let (whole, mut truth) = search(&compiled, index, Algorithm::Stateful);
        if whole.stop != Stop::Exhausted || !truth.others.is_empty() {
            continue;
        }
        if whole.states.unwrap_or_default().in_vain > 0 {
            truth.ends.insert("stuck".to_owned());
        }
        let mut executions = None;
        for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor, Algorithm::Dfs] {
            let (summary, results) = search(&compiled, index, algorithm);
            if summary.stop == Stop::Executions && (algorithm == Algorithm::Dfs || executions.is_none()) {
                if algorithm == Algorithm::Optimal {
                    break;
                }
                continue;
            }
            let counted = summary.counts.executions;
            let counts_agree = algorithm == Algorithm::Dfs || *executions.get_or_insert(counted) == counted;
            // Whoever exchanges or locks for ever writes: a search over states does not say that it waits in vain.
            let exchanges = ["exchange", "serve", "lock"].iter().any(|word| program.contains(word));
            let mut ends = results.ends.clone();
            if exchanges && !truth.ends.contains("stuck") {
                ends.remove("stuck");
            }
            if summary.stop != Stop::Exhausted || !results.others.is_empty() || ends != truth.ends || !counts_agree {
                wrong.push(format!(
                    "seed {first}, program {index}, {compiler} {flag}, {}: {:?}, {counted} executions instead of {executions:?}, \
                     {results:?} instead of {truth:?}\n{program}",
                    algorithm.name(),
                    summary.stop,
                ));
            }
        }
        compared += executions.is_some() as usize;
        with_several += (truth.ends.len() > 1) as usize;
    }
    println!("{compared} of {count} were compared, {with_several} of them have several results");
    assert!(wrong.is_empty(), "{} are wrong, the first:\n{}", wrong.len(), wrong[0]);
    assert!(
        compared * 2 > count && with_several * 5 > count,
        "{compared} of {count}, {with_several}: too few to say anything"
    );
}

#[test]
fn as_written() {
    agree(60, clang(), "-O0");
    agree(60, "gcc", "-O0");
}

#[test]
fn optimised() {
    agree(60, clang(), "-O2");
    agree(60, "gcc", "-O1");
}
