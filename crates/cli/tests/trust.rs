//! Traces that come from somebody else: nothing runs that they name until the user says so, and nothing in them plays with the terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{Finished, Session};

const CYCLE: &str = "examples/abba.c";

/// A trace of a deadlock, changed as a stranger would.
fn hostile(session: &Session, change: impl FnOnce(&mut Value)) -> String {
    let run = session.check([CYCLE, "--cc", "gcc"]);
    let file = run.json()["findings"][0]["trace"].as_str().unwrap_or_else(|| panic!("no trace\n{run}")).to_owned();
    let mut trace: Value = serde_json::from_slice(&fs::read(file).expect("the trace is there")).expect("JSON");
    change(&mut trace["program"]);
    session.write("hostile.json", trace.to_string()).display().to_string()
}

/// A command that leaves a file behind if anybody runs it, and then is gcc.
fn planted(session: &Session) -> (String, std::path::PathBuf) {
    let trace = session.path("it-ran");
    let command = session.write("gcc", format!("#!/bin/sh\ntouch '{}'\nexec /usr/bin/gcc \"$@\"\n", trace.display()));
    fs::set_permissions(&command, fs::Permissions::from_mode(0o755)).expect("its mode can be set");
    (command.display().to_string(), trace)
}

fn must_ask(run: &Finished, of: &str) {
    run.must_say(2, &["does not run on a file's word", of, "--trust"]);
}

#[test]
fn a_strangers_compiler_is_not_run() {
    let session = Session::new();
    let (command, it_ran) = planted(&session);
    let trace = hostile(&session, |program| program["compilers"][0]["command"] = json!([command]));
    must_ask(&session.run(["replay", &trace]), &command);
    must_ask(&session.run(["check", "--from", &trace, "--at", "1"]), &command);
    assert!(!it_ran.exists(), "the command that the trace names was run");
    // A report runs nothing, and the user's word is enough.
    session.run(["report", &trace, "--text"]).must_say(0, &["deadlock"]);
    assert!(!it_ran.exists(), "a report ran the command");
    session.run(["replay", &trace, "--trust", "--quiet"]).must_say(1, &["deadlock"]);
    assert!(it_ran.exists(), "with --trust it is the compiler");
}

#[test]
fn flags_that_do_more_than_compile_are_asked_about() {
    let session = Session::new();
    for flags in
        [&["-fplugin=./evil.so"][..], &["-include", "/etc/passwd"], &["-B."], &["-Wl,-Map=/tmp/x"], &["@flags"]]
    {
        let trace = hostile(&session, |program| {
            let build = program["build"].as_array_mut().expect("the words");
            build.extend(flags.iter().map(|flag| json!(flag)));
        });
        must_ask(&session.run(["replay", &trace]), flags[0]);
    }
    // Usual ones are not.
    let trace = hostile(&session, |program| {
        let build = program["build"].as_array_mut().expect("the words");
        build.extend(["-Wall", "-DN=1", "-Iinclude", "-lm"].map(|flag| json!(flag)));
    });
    session.run(["replay", &trace, "--quiet"]).must_say(1, &["deadlock"]);
}

#[test]
fn programs_of_the_system_and_changed_programs_are_asked_about() {
    let session = Session::new();
    let system = hostile(&session, |program| {
        program["build"] = json!([]);
        program["binary"] = json!({ "path": "/bin/sh", "hash": "00" });
        program["arguments"] = json!(["-c", "true"]);
    });
    must_ask(&session.run(["replay", &system]), "/bin/sh");
    let (other, it_ran) = planted(&session);
    let changed = hostile(&session, |program| {
        program["build"] = json!([]);
        program["binary"] = json!({ "path": other, "hash": "00" });
    });
    must_ask(&session.run(["replay", &changed]), "its bytes differ");
    assert!(!it_ran.exists(), "a program with other bytes was run");
}

/// What the question shows cannot hide itself from the reader.
#[test]
fn what_is_asked_is_shown_as_it_is() {
    let session = Session::new();
    let trace = hostile(&session, |program| {
        program["build"].as_array_mut().expect("the words").push(json!("-fplugin=\u{1b}[2K\r\u{202e}safe"));
    });
    let run = session.run(["replay", &trace]);
    must_ask(&run, "-fplugin=\\u{1b}[2K\\r\\u{202e}safe");
    assert!(!run.words().contains(['\u{1b}', '\u{202e}', '\r']), "{run}");
    let json = session.run(["replay", &trace, "--json"]);
    assert!(!json.stdout.contains(['\u{1b}', '\u{202e}', '\r']), "{json}");
    assert!(json.json()["reason"].as_str().is_some_and(|reason| reason.contains('\u{202e}')), "{json}");
}

/// A program's names and its output, in every format.
#[test]
fn directional_characters_are_escaped_everywhere() {
    let session = Session::new();
    let source = "#include <stdio.h>\n#include <assert.h>\nint main(void) {\n    puts(\"out \\xe2\\x80\\xae gnirts\");\n    \
                  assert(!\"\u{202e}ylurt\u{2066}\"); /* \u{202e} */\n}\n";
    let file = session.write("bidi.c", source).display().to_string();
    let formats = [
        ("--html", "x.html"),
        ("--sarif", "x.sarif"),
        ("--junit", "x.xml"),
        ("--graph", "x.mmd"),
        ("--witness", "x.yml"),
    ];
    let mut words = vec!["check".to_owned(), file];
    for (flag, name) in formats {
        words.extend([flag.to_owned(), session.path(name).display().to_string()]);
    }
    let run = session.run(words);
    assert_eq!(run.code, 1, "{run}");
    assert!(!run.words().contains(['\u{202e}', '\u{2066}']), "{run}");
    for (_, name) in formats {
        let text = fs::read_to_string(session.path(name)).expect("the report is there");
        assert!(!text.contains(['\u{202e}', '\u{2066}']), "{name}: {text}");
    }
}

/// A result that is lost is an error, not a verdict.
#[test]
fn a_full_output_is_an_error() {
    let session = Session::new();
    let full = fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let mut command: Command = session.command(["check", "examples/abba-fixed.c"]);
    let ended = command.stdout(full).stderr(Stdio::piped()).output().expect("heddle runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("standard output cannot be written to"), "{said}");
}
