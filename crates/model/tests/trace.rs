//! Trace files: what is written can be read, and whatever else is read gives an error, never a panic.

use std::collections::BTreeMap;

use heddle_model::finding::{Finding, FindingKind, FindingThread, Location, Note};
use heddle_model::follow::Step;
use heddle_model::primitive::mutex;
use heddle_model::trace::{
    FORMAT, Program, Settings, SourceFile, TRACE_VERSION, Trace, TraceEnd, TraceError, TraceStep,
};
use heddle_model::{OpCode, Outcome, ThreadId};

fn place(line: u32) -> Location {
    Location { file: "a \"quoted\" ü.c".into(), line, column: 3, function: "worker".into() }
}

fn trace() -> Trace {
    let step = |thread, line| TraceStep {
        thread: ThreadId(thread),
        operation: "mutex lock".into(),
        object: "mutex `a`".into(),
        result: String::new(),
        at: Some(place(line)),
        preempts: thread == 2,
        after: vec![0; thread as usize - 1],
        holds: Some(vec!["mutex `a`".into()]),
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
        settings: Settings { restart: "snapshot".into(), memory_limit: 1 << 30, ..Settings::default() },
        threads: BTreeMap::from([(ThreadId(1), "worker".to_string())]),
        schedule: [1, 2]
            .map(|t| Step { thread: ThreadId(t), choice: t, code: mutex::LOCK, ..Step::default() })
            .to_vec(),
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
            threads: vec![FindingThread { at: Some(place(8)), ..FindingThread::default() }],
            switches: 3,
            preemptions: 1,
            minimal: true,
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
    for other in [TRACE_VERSION - 1, TRACE_VERSION + 1] {
        let changed = text.replacen(&format!("\"version\": {TRACE_VERSION}"), &format!("\"version\": {other}"), 1);
        assert_ne!(changed, text);
        let error = Trace::from_bytes(changed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(&format!("has trace format {other}")), "{error}");
        assert!(error.contains("check the program again"), "{error}");
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
