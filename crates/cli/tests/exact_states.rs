//! `--states exact`: states are compared word for word; and what keeps states apart, where there are too many.

use std::sync::atomic::AtomicBool;

use crate::common::Session;
use crate::states::{PETERSON, RING};
use heddle_model::content::PartKind;
use heddle_model::follow::Policy;
use heddle_model::{Execution, Executor, ExecutorError, Fingerprint, Plan, States};
use heddle_native::compile::{Choice, compile};
use heddle_native::{NativeExecutor, Options};
use heddle_search::exact::Exact;

/// Threads that write to a global, to the heap and to their stacks.
const WRITERS: &str = r#"#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last, *block;
static void *writer(void *argument) {
    volatile int own = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        own = last;
        last = (int)(long)argument;
        *block += own;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    block = calloc(1, sizeof *block);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, writer, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    free(block);
}
"#;

/// An executor whose fingerprints are weak: they have these bits only.
struct Weak<'e> {
    inner: &'e mut dyn Executor,
    bits: u128,
    states: Vec<Fingerprint>,
}

impl Executor for Weak<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let execution = self.inner.receive()?;
        let weak = |state: &Fingerprint| match *state {
            Fingerprint::NONE => Fingerprint::NONE,
            Fingerprint(number) => Fingerprint(number & self.bits | 1 << 100),
        };
        self.states = execution.states.iter().map(weak).collect();
        Ok(Execution { states: &self.states, ..execution })
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }
}

#[test]
fn states_with_one_fingerprint_are_compared() {
    let session = Session::new();
    let path = session.write("writers.c", WRITERS).display().to_string();
    let words = [path, "-O1".to_owned()];
    let compiled = compile(&words, &Choice::from_environment(None), &AtomicBool::new(false)).expect("it compiles");
    // With all bits there is none; with two bits, all parts of a state must show sooner or later.
    for (bits, collides) in [(u128::MAX, false), (3, true)] {
        let mut native = NativeExecutor::launch(&compiled.program, Options::default()).expect("it starts");
        let mut weak = Weak { inner: &mut native, bits, states: Vec::new() };
        let mut exact = Exact::new(&mut weak);
        for seed in 0..40 {
            let plan = Plan { policy: Policy::Random, seed, states: States::Record, contents: true, ..Plan::default() };
            exact.run(&plan).expect("it runs");
        }
        let compared = exact.compared();
        assert!(compared.again > 100 && compared.untold == 0, "{compared:?}");
        assert_eq!(compared.collision.is_some(), collides, "{compared:?}");
        if !collides {
            assert!(compared.states > 40, "{compared:?}");
        }
    }
}

/// What a state consists of is there, whole.
#[test]
fn states_consist_of_all_their_parts() {
    let session = Session::new();
    let path = session.write("writers.c", WRITERS).display().to_string();
    let words = [path, "-O0".to_owned()];
    let compiled = compile(&words, &Choice::from_environment(None), &AtomicBool::new(false)).expect("it compiles");
    let mut native = NativeExecutor::launch(&compiled.program, Options::default()).expect("it starts");
    let plan = Plan { policy: Policy::Random, states: States::Record, contents: true, ..Plan::default() };
    let execution = native.run(&plan).expect("it runs");
    let parts: Vec<_> = heddle_model::content::parts(execution.contents).collect();
    use PartKind::{Call, Heap, Object, Page, Rest, Stack, State, Thread};
    for kind in [State, Thread, Object, Call, Stack, Page, Heap, Rest] {
        assert!(parts.iter().any(|part| part.kind == kind), "{kind:?}");
    }
    assert_eq!(parts.iter().filter(|part| part.kind == State).count(), execution.states.len());
    let without = native.run(&Plan { contents: false, ..plan }).expect("it runs");
    assert!(without.contents.is_empty());
}

#[test]
fn exact_searches_come_to_the_same_states() {
    let session = Session::new();
    for (name, text) in [("peterson.c", PETERSON), ("ring.c", RING), ("writers.c", WRITERS)] {
        let file = session.write(name, text).display().to_string();
        for algorithm in ["stateful", "switches"] {
            let words = [file.as_str(), "-O1", "--algorithm", algorithm, "--states"];
            let [hash, exact] = ["hash", "exact"].map(|how| {
                let run = session.check(words.iter().chain(&[how]).copied());
                assert_eq!(run.code, 0, "{name} {algorithm}\n{run}");
                run.json()
            });
            assert_eq!(hash["states"], exact["states"], "{name} {algorithm}");
            let (hash, exact) = (hash["coverage"].to_string(), exact["coverage"].to_string());
            assert!(hash.contains("128-bit fingerprints") && !hash.contains("word for word"), "{hash}");
            assert!(exact.contains("states: compared word for word") && !exact.contains("128-bit"), "{exact}");
        }
    }
    let file = session.path("ring.c").display().to_string();
    let words = ["check", &file, "--algorithm", "dpor", "--states", "exact"];
    session.run(words).must_say(2, &["--states exact needs the default, --algorithm stateful"]);
    let words = ["check", &file, "--algorithm", "stateful", "--states", "exact", "--checkpoint", "c"];
    session.run(words).must_say(2, &["--states exact cannot be used with --checkpoint"]);
}

/// Where there are too many states, whatever keeps them apart is named.
#[test]
fn what_keeps_states_apart_is_named() {
    const ENDLESS: &str = r#"#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned long rounds;
static void *server(void *argument) {
    volatile unsigned long mine = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        WORK
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, server, 0);
    server(0);
}
"#;
    let session = Session::new();
    let file = session.write("endless.c", ENDLESS).display().to_string();
    for (work, name) in [("rounds++;", "rounds;"), ("mine++;", "the stack of thread 0;")] {
        let work = format!("-DWORK={work}");
        let words = ["check", &file, "-O1", &work, "--algorithm", "stateful", "--max-states", "3000"];
        session.run(words).must_say(
            3,
            &[
                "stopped after 3,000 states as asked",
                "in which every thread stands at the same place, they differ in",
                name,
            ],
        );
    }
}
