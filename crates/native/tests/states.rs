//! States of native programs: the fingerprints of random programs are those of their scripts.

use std::collections::HashMap;

use crate::common::{WAYS, build, launch, options};
use heddle_model::follow::{Policy, Step};
use heddle_model::primitive::thread::CREATE;
use heddle_model::{
    Attention, Event, Executor, Fingerprint, Latitude, Outcome, Plan, Property, Settings, States, ThreadId,
};
use heddle_native::NativeExecutor;
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Program, Scripted, print_c};

fn with_states(seed: u64) -> Plan {
    Plan { policy: Policy::Random, seed, states: States::Record, ..Plan::default() }
}

/// The steps of a native execution, with the script's names of threads.
fn steps_of(program: &Program, events: &[Event]) -> Vec<Step> {
    let mut threads = vec![None; 64];
    threads[0] = Some(0);
    let mut children = vec![0; program.threads.len()];
    let mut steps = Vec::new();
    for event in events {
        let me: usize = threads[event.thread.index()].expect("it was created");
        if event.operation.code == CREATE
            && let Some(child) = event.operation.object.as_thread()
        {
            threads[child.index()] = print_c::children(program, me).get(children[me]).map(|&id| usize::from(id));
            children[me] += 1;
        }
        steps.push(Step::new(ThreadId(me as u16)).expecting(event.operation.code).taking(event.choice()));
    }
    steps
}

/// What follows in the script after `steps`: by the schedule `then`, or if that is empty as threads take turns.
fn future(script: &mut Scripted<'_>, steps: &[Step], then: &[Step]) -> (Vec<Event>, Outcome) {
    let schedule = [steps, then].concat();
    let plan = Plan { schedule, policy: Policy::RoundRobin, max_steps: 200, ..Plan::default() };
    let execution = script.run(&plan).expect("a script runs");
    let events = execution.events[steps.len()..].iter();
    (events.map(|event| Event { pc: 0, ..*event }).collect(), execution.outcome)
}

/// Compares the states of `count` random programs of these kinds with those of their scripts.
fn agree(count: usize, kinds: u32, operations: u64) {
    let mut random = Random::new(u64::from(kinds) << 32 | 7);
    let programs: Vec<Program> = (0..count)
        .map(|_| print_c::printable(&generate::program(&mut random, Shape { threads: 3, operations, kinds })))
        .collect();
    let compiled = build("programs.c", &print_c::print_all(&programs), &["-O1"]).unwrap();
    let (mut matches, mut coarser) = (0, 0);
    for (index, program) in programs.iter().enumerate() {
        let Program { timeouts, spurious: spurious_wakeups, failures: spurious_failures, wakeup, .. } = *program;
        let latitude = Latitude { timeouts, spurious_wakeups, spurious_failures, wakeup };
        let mut options = options(WAYS[0]);
        options.settings = Settings { latitude, quarantine: 0, ..options.settings };
        // What the detector knows of the past is part of a state, and no part of a script's.
        options.settings.properties.set(Property::Race, Attention::Off);
        options.arguments = vec![index.to_string().into()];
        let mut executor = NativeExecutor::launch(&compiled.program, options).unwrap_or_else(|error| panic!("{error}"));
        let mut script = Scripted::new(program);
        // For each state of the script its native fingerprint, and for that the steps that led there first.
        let mut natively: HashMap<Fingerprint, Fingerprint> = HashMap::new();
        let mut first: HashMap<Fingerprint, (Fingerprint, Vec<Step>)> = HashMap::new();
        for seed in 0..30 {
            let execution = executor.run(&with_states(seed)).unwrap();
            let (states, steps) = (execution.states.to_vec(), steps_of(program, execution.events));
            assert!(states.len() >= steps.len(), "{} states, {} steps\n{program}", states.len(), steps.len());
            for (at, &state) in states.iter().enumerate() {
                script.prefix_with(&steps[..at], States::Record);
                let Some(&scripted) = script.passed().last() else { continue };
                if let Some(&before) = natively.get(&scripted) {
                    matches += 1;
                    assert_eq!(
                        before, state,
                        "one state has two fingerprints, seed {seed}, step {at}, program {index}\n{program}"
                    );
                }
                natively.insert(scripted, state);
                match first.get(&state) {
                    Some((other, way)) if *other != scripted => {
                        coarser += 1;
                        let one = future(&mut script, way, &[]);
                        let then: Vec<Step> = one.0.iter().map(Step::of).collect();
                        let two = future(&mut script, &steps[..at], &then);
                        assert_eq!(one, two, "two states have one fingerprint, seed {seed}, step {at}\n{program}");
                    }
                    Some(_) => {}
                    None => {
                        first.insert(state, (scripted, steps[..at].to_vec()));
                    }
                }
            }
        }
    }
    eprintln!("{count} programs: {matches} states met again, {coarser} that differ in dead values only");
    assert!(matches > 20 * count, "{matches}");
}

#[test]
fn locks_and_atomics() {
    agree(20, generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS, 5);
}

/// Threads that add under one lock: a state is who has added and where everybody stands, not in which order.
const ADDERS: &str = r#"#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *adder(void *argument) {
    int *block = malloc(sizeof *block);
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    free(block);
    return argument;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, adder, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return sum == 3 ? 0 : 1;
}
"#;

#[test]
fn orders_meet_again() {
    let program = build("adders.c", ADDERS, &["-O1"]).unwrap();
    let mut executor = launch(&program, options(WAYS[0]));
    let mut states = std::collections::HashSet::new();
    let mut met = 0;
    for seed in 0..400 {
        let execution = executor.run(&with_states(seed)).unwrap();
        assert!(execution.outcome.is_ended(), "{:?} {}", execution.outcome, execution.message);
        assert_eq!(execution.states.len(), execution.events.len());
        met += execution.states.len();
        states.extend(execution.states.iter().copied());
    }
    eprintln!("{met} states, {} different ones", states.len());
    assert!(states.len() < 300, "{} of {met}", states.len());
}
