//! Files that others may have written or damaged: traces, checkpoints, programs. Whatever is in them, Heddle says what is wrong or goes on;
//! it does not panic. The bytes that are damaged here come from real files, made by `heddle` in the same test. `./x fuzz bytes`
//! runs these for longer.

use std::fs;

use crate::common::Session;
use heddle_model::{RunReport, Trace, Verdict};
use heddle_native::symbols::{Mappings, Symbols};
use heddle_native::{Program, annotations};
use heddle_report::{graph, html, junit, sarif, text};
use heddle_search::{Algorithm, Options, Search};
use heddle_testkit::bytes::damage;

/// The traces of findings of several kinds.
fn traces(session: &Session) -> Vec<Vec<u8>> {
    let programs = [
        "examples/abba.c",
        "examples/race.c",
        "examples/buffer.c",
        "tests/programs/memory-after-free.c",
        "tests/programs/choose-one-fails.c",
    ];
    for (number, program) in programs.iter().enumerate() {
        let out = session.path(&format!("out-{number}")).display().to_string();
        let run = session.run(["check", "--quiet", "--minimise", "off", "--out", &out, program]);
        assert_eq!(run.code, 1, "{run}");
    }
    let folders = (0..programs.len()).map(|number| session.path(&format!("out-{number}")));
    // Each trace, and not the links to it.
    let files = folders.flat_map(|folder| fs::read_dir(folder).expect("traces").flatten());
    let files = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "json"));
    files.map(|file| fs::read(file.path()).expect("a trace")).collect()
}

#[test]
fn foreign_bytes_as_a_trace() {
    let session = Session::new();
    let traces = traces(&session);
    assert!(traces.len() >= 5);
    for trace in &traces {
        Trace::from_bytes(trace).expect("it was written by heddle");
    }
    damage(&traces, |bytes| {
        // What is accepted can be told: reports are made of the file alone.
        if let Ok(trace) = Trace::from_bytes(bytes) {
            let again = Trace::from_bytes(&trace.to_bytes()).expect("what was read can be written");
            assert_eq!(again.to_bytes(), trace.to_bytes());
            let report = RunReport {
                findings: vec![trace.finding.clone()],
                verdict: Verdict::Found,
                ..RunReport::error(String::new())
            };
            let traces = [trace];
            text::finding(&traces[0], &text::Options::default());
            html::render(&report, &traces);
            sarif::render(&report, &traces);
            junit::render(&report, &traces, "damaged");
            graph::dot(&traces[0]);
            graph::mermaid(&traces[0]);
        }
    });
}

/// The JSON document of a run, which `heddle report` reads.
#[test]
fn foreign_bytes_as_a_run() {
    let session = Session::new();
    let run = session.run(["check", "--json", "--all", "--outcomes", "--minimise", "off", "examples/race.c"]);
    let document = run.json().to_string().into_bytes();
    serde_json::from_slice::<RunReport>(&document).expect("it was written by heddle");
    damage(&[document], |bytes| {
        if let Ok(report) = serde_json::from_slice::<RunReport>(bytes) {
            text::verdict(&report, &text::Options::default());
            html::render(&report, &[]);
            sarif::render(&report, &[]);
            junit::render(&report, &[], "damaged");
        }
    });
}

/// What a program prints is searched for the place of a failure.
#[test]
fn foreign_bytes_as_output() {
    let lines: [&[u8]; 4] = [
        b"test.cc:12: Failure\nExpected: (a) == (b), actual: 1 vs 2\n",
        b"\x1b[31mtests/a.cpp(7): error: in \"t\": check failed\x1b[0m\n\n",
        b"not ok 3 - (src/\xc3\xa4.c:9) mismatch\n",
        b"a.c:4294967296:1: error: large\n",
    ];
    damage(&lines.map(<[u8]>::to_vec), |bytes| {
        let _ = heddle_report::printed::failure(&String::from_utf8_lossy(bytes));
    });
}

/// `heddle report` and `heddle replay` with damaged traces. Few: each is a process.
#[test]
fn foreign_bytes_on_the_command_line() {
    let session = Session::new();
    let traces = traces(&session);
    let mut left = 40;
    damage(&traces, |bytes| {
        if left == 0 {
            return;
        }
        left -= 1;
        let file = session.write("damaged.json", bytes).display().to_string();
        let run = session.run(["report", &file]);
        assert!((0..=2).contains(&run.code) && !run.words().contains("panicked"), "{run}");
    });
}

#[test]
fn foreign_bytes_as_a_checkpoint() {
    let session = Session::new();
    let path = session.path("search.checkpoint");
    let mut corpus = Vec::new();
    for (program, limit) in [("tests/counts/lastzero.c", "20"), ("tests/counts/readers.c", "9")] {
        let file = path.display().to_string();
        let words = [
            "check",
            program,
            "--all",
            "--quiet",
            "--minimise",
            "off",
            "--checkpoint",
            &file,
            "--max-executions",
            limit,
        ];
        let run = session.run(words);
        assert!(path.exists(), "{run}");
        corpus.push(fs::read(&path).expect("a checkpoint"));
        let checkpoint = heddle_checking::checkpoint::read(&path).expect("it was written by heddle");
        let options = || Options { algorithm: Algorithm::Portfolio, ..Options::default() };
        Search::resume(options(), &checkpoint.search).expect("it was written by heddle");
        damage(&[checkpoint.search], |bytes| drop(Search::resume(options(), bytes)));
    }
    damage(&corpus, |bytes| {
        fs::write(&path, bytes).expect("it can be written");
        let _ = heddle_checking::checkpoint::read(&path);
    });
}

/// Programs and libraries are read for their sections, their symbols and their debug information.
#[test]
fn foreign_bytes_as_a_program() {
    let session = Session::new();
    let source = session.write(
        "program.c",
        "#include <heddle.h>\n#include <pthread.h>\nstatic int value;\nvoid __VERIFIER_atomic_f(void) { value++; }\n\
        static void *work(void *p) { heddle_reachable(\"here\"); __VERIFIER_atomic_f(); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return value; }\n",
    );
    let program = session.path("program").display().to_string();
    session.run(["cc", "-g", "-O1", &source.display().to_string(), "-o", &program]).must_say(0, &[]);
    let right = fs::read(&program).expect("the program");
    let damaged = session.path("damaged");
    let end = 0x40_0000 + right.len().next_multiple_of(4096);
    let text = format!("400000-{end:x} r-xp 00000000 00:00 0 {}\n", damaged.display());
    damage(&[right], |bytes| {
        fs::write(&damaged, bytes).expect("it can be written");
        let _ = Program::open(&damaged);
        let _ = annotations::of(bytes);
        let symbols = Symbols::new(&Mappings::parse(&text));
        for address in (0x40_0000..end as u64).step_by(0x777) {
            symbols.frames(address);
            symbols.place(address);
            symbols.local(address, address, address);
        }
    });
}
