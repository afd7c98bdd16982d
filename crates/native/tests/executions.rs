//! Every way of starting over runs equal executions.

use crate::common::{WAYS, build, build_with, launch, options, symbols};
use heddle_model::follow::Policy;
use heddle_model::primitive::mutex;
use heddle_model::{Event, Executor, Outcome, Plan};

const COUNTER: &str = r#"#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *argument) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    printf("%d\n", counter);
    return counter == 4 ? 0 : 1;
}
"#;

fn random(seed: u64) -> Plan {
    Plan { policy: Policy::Random, seed, ..Plan::default() }
}

#[test]
fn every_way_to_start_over_gives_the_same_events() {
    let program = build("counter.c", COUNTER, &[]).unwrap();
    let mut first: Vec<Vec<Event>> = Vec::new();
    for way in WAYS {
        let mut executor = launch(&program, options(way));
        for round in 0..2 {
            for seed in 0..20 {
                let execution = executor.run(&random(seed)).unwrap();
                assert!(execution.outcome.is_ended(), "{way:?} seed {seed}: {}", execution.message);
                match first.get(seed as usize) {
                    Some(events) => assert_eq!(events, execution.events, "{way:?} seed {seed} round {round}"),
                    None => first.push(execution.events.to_vec()),
                }
            }
        }
        assert_eq!(executor.facts().statistics.lost, 0);
    }
    assert!(first.iter().any(|events| *events != first[0]), "all schedules are the same");
}

#[test]
fn several_plans_under_way() {
    let program = build("counter.c", COUNTER, &[]).unwrap();
    let mut executor = launch(&program, options(WAYS[0]));
    let depth = executor.depth();
    assert!(depth > 1);
    let seeds = 0..3 * depth as u64;
    let expected: Vec<Vec<Event>> = seeds.map(|seed| executor.run(&random(seed)).unwrap().events.to_vec()).collect();
    for seed in 0..depth as u64 {
        executor.submit(&random(seed)).unwrap();
    }
    assert!(executor.submit(&random(0)).is_err(), "more than there is room for");
    for (seed, events) in expected.iter().enumerate() {
        assert_eq!(executor.receive().unwrap().events, events, "{seed}");
        let next = seed + depth;
        if next < expected.len() {
            executor.submit(&random(next as u64)).unwrap();
        }
    }
    assert!(executor.receive().is_err(), "nothing is under way");
}

#[test]
fn a_recording_replays_and_tells_places_and_names() {
    for (compiler, flag) in [(None, "-O0"), (Some("gcc"), "-O0"), (None, "-O2"), (Some("gcc"), "-O2")] {
        let program = build_with(compiler, "counter.c", COUNTER, &[flag]).unwrap();
        let mut executor = launch(&program, options(WAYS[0]));
        let events = executor.run(&random(3)).unwrap().events.to_vec();
        let schedule: Vec<_> = events.iter().map(heddle_model::follow::Step::of).collect();
        executor.submit(&random(4)).unwrap(); // Discarded by the recording.
        let recording = executor.record(&schedule).unwrap();
        assert_eq!(recording.events, events);
        assert_eq!(recording.stacks.len(), events.len());
        assert_eq!(String::from_utf8_lossy(&recording.output), "4\n");
        let symbols = symbols(&executor);
        let locks: Vec<_> =
            events.iter().zip(&recording.stacks).filter(|(e, _)| e.operation.code == mutex::LOCK).collect();
        assert_eq!(locks.len(), 4);
        for (event, stack) in locks {
            assert_eq!(symbols.object(event.operation.object).as_deref(), Some("lock"));
            let at = symbols.location(stack).unwrap();
            assert_eq!(
                (at.function.as_str(), at.line),
                ("worker", 7),
                "{compiler:?} {flag}: {:?}",
                symbols.stack(stack)
            );
            assert!(at.file.ends_with("counter.c"), "{}", at.file);
        }
    }
}

#[test]
fn a_deadlock_says_who_waits_where() {
    let text = r#"#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *argument) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, 0);
    return 0;
}
"#;
    let program = build("abba.c", text, &[]).unwrap();
    for way in WAYS {
        let mut executor = launch(&program, options(way));
        let seed = (0..200).find(|&seed| executor.run(&random(seed)).unwrap().outcome == Outcome::Deadlock).unwrap();
        let recording = executor.record_plan(&random(seed)).unwrap();
        let symbols = symbols(&executor);
        let waits: Vec<_> = recording
            .pending
            .iter()
            .zip(&recording.pending_stacks)
            .map(|(pending, stack)| {
                (symbols.object(pending.operation.object), symbols.location(stack).map(|at| at.line))
            })
            .collect();
        assert_eq!(waits, [(Some("b".into()), Some(14)), (Some("a".into()), Some(5))], "{way:?}");
    }
}

#[test]
fn cxx_in_every_way() {
    let text = r#"#include <iostream>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex lock;
static int sum;
int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([i] { std::lock_guard<std::mutex> guard(lock); sum += i; });
    for (auto &thread : threads) thread.join();
    try { throw sum; } catch (int value) { std::cout << "sum " << value << std::endl; }
}
"#;
    for compiler in [None, Some("gcc")] {
        let program = build_with(compiler, "sum.cpp", text, &[]).unwrap();
        for way in WAYS {
            let mut executor = launch(&program, options(way));
            for seed in 0..20 {
                let execution = executor.run(&random(seed)).unwrap();
                assert!(execution.outcome.is_ended(), "{compiler:?} {way:?} {seed}: {}", execution.message);
            }
            let recording = executor.record_plan(&random(1)).unwrap();
            assert_eq!(String::from_utf8_lossy(&recording.output), "sum 3\n", "{compiler:?} {way:?}");
        }
    }
}
