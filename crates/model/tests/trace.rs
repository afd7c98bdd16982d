//! Trace files: what is written can be read, and whatever else is read gives an error, never a panic.

use std::collections::BTreeMap;

use heddle_model::finding::{Finding, FindingKind, FindingThread, Location, Note};
use heddle_model::follow::Step;
use heddle_model::primitive::mutex;
use heddle_model::trace::{
    Action, FORMAT, Program, SourceFile, StepResult, TRACE_VERSION, Trace, TraceEnd, TraceError, TraceStep,
};
use heddle_model::wire::ThreadName;
use heddle_model::{Choice, OpCode, Outcome, Restart, Settings, ThreadId};

fn place(line: u32) -> Location {
    Location { file: "a \"quoted\" ü.c".into(), line, column: 3, function: "worker".into() }
}

fn trace() -> Trace {
    let step = |thread, line| TraceStep {
        thread: ThreadId(thread),
        action: Action::Operation(mutex::LOCK),
        object: "mutex `a`".into(),
        short: "a".into(),
        result: Some(StepResult::Chosen { value: u64::MAX, of: 3 }),
        values: [(u64::MAX, "-1".into())].into(),
        waits: false,
        at: Some(place(line)),
        preempts: thread == 2,
        after: vec![0; thread as usize - 1],
        holds: Some(vec!["mutex `a`".into()]),
        creates: Some(ThreadId(3)),
        blocks: vec![ThreadId(2)],
        frees: vec![ThreadId(1)],
    };
    Trace {
        format: FORMAT.into(),
        version: TRACE_VERSION,
        heddle: "0.1.0".into(),
        program: Program {
            directory: "/tmp".into(),
            build: vec!["a.c".into(), "-O2".into()],
            sources: vec![SourceFile { path: "a.c".into(), hash: "00".into() }],
            arguments: vec!["--".into(), "x".into()],
            ..Program::default()
        },
        settings: Settings { max_steps: 7, ..Settings::default() },
        restart: Restart::Snapshot,
        places: vec![8, 16],
        created: vec![ThreadName::default(), ThreadName { ordinal: 3, ..ThreadName::default() }],
        inputs: Vec::new(),
        rounds: true,
        threads: BTreeMap::from([(ThreadId(1), "worker".to_string())]),
        schedule: [1, 2].map(|t| Step::new(ThreadId(t)).taking(Choice::Way(t)).expecting(mutex::LOCK)).to_vec(),
        continuation: None,
        steps: vec![step(1, 7), step(2, 9)],
        last: vec![step(1, 8)],
        focus: vec![1],
        end: TraceEnd { outcome: Outcome::Deadlock, thread: ThreadId::MAIN, message: String::new() },
        finding: Finding {
            id: "deadlock-1".into(),
            kind: FindingKind::Deadlock,
            message: "two threads".into(),
            location: Some(place(7)),
            count: 3,
            execution: 4,
            sample: Some("few".into()),
            threads: vec![FindingThread { at: Some(place(8)), ..FindingThread::default() }],
            switches: 3,
            preemptions: 1,
            minimal: true,
            certain: true,
            inputs: Vec::new(),
            cycle: None,
            trace: None,
            notes: vec![Note { message: "there".into(), location: None }],
        },
        output: "hello\n".into(),
        lines: BTreeMap::from([("a.c".to_string(), BTreeMap::from([(7, "lock(a);".to_string())]))]),
    }
}

#[test]
fn what_is_written_can_be_read() {
    let trace = trace();
    assert_eq!(Trace::from_bytes(&trace.to_bytes()).unwrap(), trace);
}

#[test]
fn cut_off_anywhere_it_is_damaged() {
    let bytes = trace().to_bytes();
    // The last byte is the newline after the closing brace.
    for end in 0..bytes.len() - 1 {
        match Trace::from_bytes(&bytes[..end]) {
            Err(TraceError::Damaged(_)) => {}
            other => panic!("cut off at {end}: {other:?}"),
        }
    }
}

#[test]
fn no_changed_byte_makes_it_panic() {
    let bytes = trace().to_bytes();
    for at in 0..bytes.len() {
        for byte in [0, b'"', b'9', b'}', b'[', 0xff] {
            let mut changed = bytes.clone();
            changed[at] = byte;
            let _ = Trace::from_bytes(&changed);
        }
    }
}

#[test]
fn another_version_is_named() {
    let text = String::from_utf8(trace().to_bytes()).unwrap();
    assert_eq!(TRACE_VERSION, 4, "a new version is added to docs/trace-format.md");
    for other in [1, 2, 3, TRACE_VERSION + 1] {
        let changed = text.replacen(&format!("\"version\": {TRACE_VERSION}"), &format!("\"version\": {other}"), 1);
        assert_ne!(changed, text);
        let error = Trace::from_bytes(changed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(&format!("has trace format {other}")), "{error}");
        assert!(error.contains("check the program again"), "{error}");
    }
}

/// In format 2 a choice was a bare number. Even a file that claims to be newer is not misread.
#[test]
fn a_choice_says_whether_it_is_a_way_or_a_value() {
    let text = String::from_utf8(trace().to_bytes()).unwrap();
    let flat: String = text.split_whitespace().collect();
    assert!(flat.contains("{\"t\":1,\"c\":{\"way\":1},\"op\":514}"), "{flat}");
    let value = flat.replacen("{\"way\":1}", "{\"value\":18446744073709551615}", 1);
    let read = Trace::from_bytes(value.as_bytes()).unwrap();
    assert_eq!(read.schedule[0].choice(), Choice::Value(u64::MAX));
    for wrong in ["1", "{\"way\":65536}", "{\"value\":-1}", "{\"value\":18446744073709551616}", "{}", "\"way\""] {
        let changed = flat.replacen("{\"way\":1}", wrong, 1);
        assert!(matches!(Trace::from_bytes(changed.as_bytes()), Err(TraceError::Inconsistent(_))), "{wrong}");
    }
}

#[test]
fn other_json_is_not_a_trace() {
    for text in
        ["{}", "[]", "null", "3", "{\"format\":\"x\",\"version\":1}", "{\"format\":3}", "{\"schema\":\"heddle/1\"}"]
    {
        let error = Trace::from_bytes(text.as_bytes()).unwrap_err();
        assert!(matches!(error, TraceError::NotATrace(_)), "{text}: {error}");
    }
    let deep = "[".repeat(100_000);
    assert!(matches!(Trace::from_bytes(deep.as_bytes()), Err(TraceError::Damaged(_))));
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let check = |change: fn(&mut Trace), says: &str| {
        let mut trace = trace();
        change(&mut trace);
        let error = Trace::from_bytes(&trace.to_bytes()).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert!(matches!(error, TraceError::Inconsistent(_)));
    };
    check(|t| t.steps.truncate(1), "2 steps to replay, 1 described");
    check(|t| t.schedule[1].thread = ThreadId(5), "step 2 is of thread 5, described as of thread 2");
    check(|t| t.schedule[0].code = OpCode::ANY, "step 1 does not say which operation");
    check(|t| t.program.build.clear(), "neither sources nor a program");
}

/// A trace that a Heddle wrote that had format 1: outcomes and steps were words there.
#[test]
fn a_trace_of_the_first_format_is_refused() {
    let error = Trace::from_bytes(include_bytes!("data/trace-1.json")).unwrap_err();
    assert!(matches!(error, TraceError::Version { found: 1 }), "{error}");
    let text = error.to_string();
    assert!(text.contains("trace format 1") && text.contains("check the program again"), "{text}");
}

#[test]
fn a_step_that_is_described_as_another_operation_is_inconsistent() {
    let mut trace = trace();
    trace.steps[0].action = Action::Operation(mutex::UNLOCK);
    let error = Trace::from_bytes(&trace.to_bytes()).unwrap_err().to_string();
    assert!(error.contains("step 1 is described as another operation"), "{error}");
}

/// Bytes of a trace are replaced, left out and doubled at random. Set `HEDDLE_SEED` to repeat a failure.
#[test]
fn no_random_change_makes_it_panic() {
    let seed = std::env::var("HEDDLE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x9e37_79b9_7f4a_7c15u64);
    println!("HEDDLE_SEED={seed}");
    let mut state = seed | 1;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound
    };
    let bytes = trace().to_bytes();
    for _ in 0..if cfg!(miri) { 20 } else { 5_000 } {
        let mut changed = bytes.clone();
        for _ in 0..=below(4) {
            let (at, length) = (below(changed.len()), below(24));
            let part = at..(at + length).min(changed.len());
            match below(3) {
                0 => changed[part].fill_with(|| below(256) as u8),
                1 => _ = changed.drain(part),
                _ => {
                    let copy = changed[part].to_vec();
                    let to = below(changed.len());
                    changed.splice(to..to, copy);
                }
            }
        }
        if let Err(error) = Trace::from_bytes(&changed) {
            assert!(!error.to_string().is_empty());
        }
    }
}
