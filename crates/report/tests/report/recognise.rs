//! What is recognised in executions made by hand.

use crate::common::*;
use heddle_model::primitive::{atomic, choice, condvar, once, semaphore};
use heddle_model::trace::{Action, StepResult};
use heddle_model::{
    Attention, Death, Ending, FindingKind, ObjectId, Operation, Outcome, Properties, Property, ThreadId,
};
use heddle_report::witness;

#[test]
fn a_cycle_is_spelled_out() {
    let found = recognise(&abba()).unwrap();
    let finding = found.finding;
    assert_eq!(finding.kind, FindingKind::Deadlock);
    assert_eq!(finding.message, "threads 1 and 2 wait for each other");
    assert_eq!(finding.location.as_ref().unwrap().line, 9);
    let notes: Vec<_> = finding.notes.iter().map(|n| (n.message.as_str(), n.location.as_ref().unwrap().line)).collect();
    assert_eq!(
        notes,
        [
            ("thread 1 (left) waits for mutex `b`, held by thread 2 (right)", 9),
            ("thread 2 (right) locked mutex `b` here", 17),
            ("thread 2 (right) waits for mutex `a`, held by thread 1 (left)", 18),
            ("thread 1 (left) locked mutex `a` here", 8),
        ]
    );
    let threads: Vec<_> = finding.threads.iter().map(|t| (t.id.0, t.state.as_str(), t.holds.clone())).collect();
    assert_eq!(
        threads,
        [
            (0, "waits for the end of thread 1 (left)", vec![]),
            (1, "waits for mutex `b`", vec!["mutex `a`".to_string()]),
            (2, "waits for mutex `a`", vec!["mutex `b`".to_string()]),
        ]
    );
    // 0 -> 1: the main thread waits for a join. 1 -> 2: thread 1 could have gone on.
    assert_eq!((finding.switches, finding.preemptions), (2, 1));
}

#[test]
fn a_switch_away_from_a_thread_that_waits_is_no_preemption() {
    let script = [
        start(0),
        create(0, 1, 27),
        create(0, 2, 28),
        start(1),
        lock(1, A, 8),
        start(2),
        lock(2, B, 17),
        // 2 waits for `a`.
        lock(1, C, 9),
        end(1),
    ];
    let recording = record(&script, &[join(0, 1, 29), lock(2, A, 18)], Outcome::Deadlock, "");
    let finding = recognise(&recording).unwrap().finding;
    assert_eq!((finding.switches, finding.preemptions), (3, 1));
}

#[test]
fn the_same_places_with_the_threads_exchanged_are_the_same_finding() {
    let mirrored = record(
        &[start(0), create(0, 1, 27), create(0, 2, 28), start(2), lock(2, A, 8), start(1), lock(1, B, 17)],
        &[join(0, 1, 29), lock(1, A, 18), lock(2, B, 9)],
        Outcome::Deadlock,
        "",
    );
    assert_eq!(recognise(&abba()).unwrap().key, recognise(&mirrored).unwrap().key);
}

#[test]
fn a_thread_can_wait_for_itself() {
    let recording = record(&[start(0), lock(0, A, 8)], &[lock(0, A, 8)], Outcome::Deadlock, "");
    let finding = recognise(&recording).unwrap().finding;
    assert_eq!(finding.message, "thread 0 (main) waits for mutex `a`, which it holds itself");
}

#[test]
fn a_mutex_can_be_held_by_a_thread_that_has_ended() {
    let recording = record(
        &[start(0), create(0, 1, 27), start(1), lock(1, A, 8), end(1)],
        &[lock(0, A, 29)],
        Outcome::Deadlock,
        "",
    );
    let finding = recognise(&recording).unwrap().finding;
    assert_eq!(finding.message, "thread 0 (main) waits for mutex `a`, which thread 1 (left) held when it ended");
    assert_eq!(finding.threads[1].state, "has ended");
    assert_eq!(finding.threads[1].holds, ["mutex `a`"]);
}

#[test]
fn a_cycle_that_others_lead_into_is_found() {
    // 0 waits for 1, 1 and 2 wait for each other, 3 waits for 1 too.
    let recording = record(
        &[
            start(0),
            create(0, 1, 27),
            create(0, 2, 28),
            create(0, 3, 28),
            start(1),
            lock(1, A, 8),
            start(2),
            lock(2, B, 17),
            start(3),
        ],
        &[join(0, 1, 29), lock(1, B, 9), lock(2, A, 18), lock(3, A, 8)],
        Outcome::Deadlock,
        "",
    );
    assert_eq!(recognise(&recording).unwrap().finding.message, "threads 1 and 2 wait for each other");
}

#[test]
fn a_signal_that_does_not_come() {
    let wait = Operation::new(condvar::WAIT, C).with_argument(A.0);
    let wake = Operation::new(condvar::REACQUIRE, C).with_argument(A.0);
    let recording = record(&[start(0), lock(0, A, 8), (0, wait, 9)], &[(0, wake, 9)], Outcome::Deadlock, "");
    let finding = recognise(&recording).unwrap().finding;
    assert_eq!(
        finding.message,
        "thread 0 (main) waits for a signal on condition variable #1, and no thread is left that can run"
    );
    assert!(finding.threads[0].holds.is_empty(), "the wait has released the mutex");
}

#[test]
fn an_initialisation_that_waits_for_itself() {
    let begin = Operation::new(once::BEGIN, C);
    let recording = record(&[start(0), (0, begin, 8)], &[(0, begin, 9)], Outcome::Deadlock, "");
    let finding = recognise(&recording).unwrap().finding;
    assert_eq!(finding.message, "thread 0 (main) waits for itself");
    let notes: Vec<_> = finding.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        notes,
        [
            "thread 0 (main) waits for the end of initialisation #1, which it runs itself",
            "thread 0 (main) began initialisation #1 here"
        ]
    );
}

#[test]
fn a_loop_that_looks_for_a_change_that_does_not_come() {
    let load = Operation { size: 4, ..Operation::new(atomic::LOAD, C) };
    let script = [start(0), create(0, 1, 27), start(1), (1, load, 8), end(1), (0, load, 29)];
    let recording = record(&script, &[(0, load.awaiting(1, None), 29)], Outcome::Deadlock, "");
    let finding = recognise(&recording).unwrap().finding;
    let says = "thread 0 (main) waits in a loop for a change of atomic #1, and no thread is left that can run";
    assert_eq!(finding.message, says);
}

#[test]
fn an_await_is_possible_after_a_write() {
    // Main looks, waits for a change, is woken by the store of thread 1, and is not preempted while it waits.
    let load = Operation { size: 4, ..Operation::new(atomic::LOAD, C) };
    let store = Operation { size: 4, ..Operation::new(atomic::STORE, C) };
    let script = [start(0), create(0, 1, 27), (0, load, 29), start(1), (1, store, 8), end(1)];
    let mut recording = record(&script, &[], Outcome::Deadlock, "");
    let look = heddle_model::Event { operation: load.awaiting(1, None), ..recording.events[2] };
    recording.events.push(look);
    let walk = heddle_report::walk::walk(&recording.events, &[]);
    assert_eq!(walk.switches, [false, false, false, true, false, false, true]);
    assert_eq!(walk.preemptions, [false; 7]);
}

#[test]
fn a_semaphore_that_nobody_posts() {
    let wait = Operation::new(semaphore::WAIT, ObjectId(0x5000));
    let recording = record(&[start(0)], &[(0, wait, 9)], Outcome::Deadlock, "");
    let finding = recognise(&recording).unwrap().finding;
    assert_eq!(finding.message, "thread 0 (main) waits for a post of semaphore #1, and no thread is left that can run");
}

#[test]
fn endings() {
    let ended = |ending| record(&[start(0), finish(0, ending, 19)], &[], ended(ending), "");
    assert!(recognise(&ended(Ending::Exit { status: 0 })).is_none());
    assert!(recognise(&ended(Ending::Exit { status: 256 })).is_none(), "the parent sees the low byte");
    let failed = recognise(&ended(Ending::Exit { status: 1 })).unwrap().finding;
    assert_eq!((failed.kind, failed.message.as_str()), (FindingKind::Failed, "the program exits with status 1"));
    let ignored = Properties::default().with(Property::Exit, Attention::Off);
    assert!(heddle_report::recognise(&ended(Ending::Exit { status: 1 }), &ignored).is_none());

    let mut failed = ended(Ending::Assertion);
    failed.message = "shared == 0".into();
    let finding = recognise(&failed).unwrap().finding;
    assert_eq!((finding.kind, finding.message.as_str()), (FindingKind::Assertion, "assertion `shared == 0` failed"));
    assert_eq!(finding.location.unwrap().line, 19);

    let finding = recognise(&ended(Ending::Abort)).unwrap().finding;
    assert_eq!((finding.kind, finding.message.as_str()), (FindingKind::Abort, "thread 0 (main) called abort"));

    let mut crashed = ended(Ending::Crash { signal: 11, overflow: false });
    crashed.events[1].operation.object = ObjectId(0x10);
    let finding = recognise(&crashed).unwrap().finding;
    assert_eq!(finding.message, "thread 0 (main) was killed by SIGSEGV (invalid memory access) at address 0x10");
}

#[test]
fn a_stack_overflow_is_called_that() {
    let crash = Ending::Crash { signal: 11, overflow: true };
    let finding = recognise(&record(&[start(0), finish(0, crash, 19)], &[], ended(crash), "")).unwrap().finding;
    assert_eq!(finding.message, "thread 0 (main) overflowed its stack");
}

#[test]
fn outcomes_that_are_no_events() {
    let with = |outcome| {
        let recording = record(&[start(0)], &[lock(0, A, 8)], outcome, "");
        recognise(&recording).map(|found| found.finding.kind)
    };
    assert_eq!(with(Outcome::Hang), Some(FindingKind::Hang));
    assert_eq!(with(Outcome::Killed(Death::Signal(11))), Some(FindingKind::Crash));
    let core = Death::from_status(11 | 0x80);
    assert_eq!(with(Outcome::Killed(core)), Some(FindingKind::Crash), "a core file changes nothing");
    assert_eq!(with(Outcome::Killed(Death::Signal(9))), None, "killed from outside is not the program's doing");
    assert_eq!(with(Outcome::Killed(Death::Exit(11))), None, "a status is no signal");
    let step_limit = Outcome::StepLimit { thread: ThreadId::MAIN };
    for outcome in [Outcome::Blocked, step_limit, Outcome::MemoryLimit { bytes: 1 }, Outcome::Unsupported] {
        assert_eq!(with(outcome), None, "{outcome:?}");
    }
}

/// A witness is made of codes and numbers. Words for people can be changed without changing it.
#[test]
fn a_witness_names_the_values_that_were_chosen() {
    let mut trace = trace(&record(&[start(0), finish(0, Ending::Assertion, 19)], &[], ended(Ending::Assertion), ""));
    trace.steps[0].action = Action::Operation(choice::CHOOSE);
    trace.schedule[0].code = choice::CHOOSE;
    trace.steps[0].result = Some(StepResult::Chosen { value: u64::MAX, of: 3 });
    trace.steps[0].at = trace.steps[1].at.clone();
    let trace = heddle_model::Trace::from_bytes(&trace.to_bytes()).unwrap();
    let document = witness::document(&trace, &witness::Origin::default());
    let segments = document[0]["content"].as_array().unwrap();
    let waypoint = &segments[0]["segment"][0]["waypoint"];
    assert_eq!(waypoint["constraint"]["value"], format!("\\result == {}", u64::MAX));
    assert_eq!(segments.len(), 2, "a value and the target");
}
