//! Which lines are understood, and as what.

use std::time::Duration;

use super::*;

fn line(text: &str) -> Result<Typed, clap::Error> {
    understand(text.split_whitespace().map(OsString::from).collect())
}

fn check(text: &str) -> Check {
    match line(text).unwrap_or_else(|error| panic!("{text}: {error}")).command {
        Command::Check(check) => *check,
        _ => panic!("not a check: {text}"),
    }
}

fn refusal(text: &str) -> String {
    line(text).err().unwrap_or_else(|| panic!("accepted: {text}")).to_string()
}

#[test]
fn definitions_are_sound() {
    Line::command().debug_assert();
}

#[test]
fn words_are_sorted_wherever_they_stand() {
    let check = check(
        "heddle check a.c b.cpp -Iinc --max-steps 100 -DN=3 -O2 --json -lm -std=c++20 --out=x -pthread -- -x --json --",
    );
    assert_eq!(check.words, ["a.c", "b.cpp", "-Iinc", "-DN=3", "-O2", "-lm", "-std=c++20", "-pthread"]);
    assert_eq!(check.arguments, ["-x", "--json", "--"]);
    assert_eq!((check.running.max_steps, check.output.json, check.output.out.to_str()), (Some(100), true, Some("x")));
}

#[test]
fn short_flags_are_the_compilers() {
    let check = check("heddle check -v -q -j -j4 -I inc -x c++ a.c -o -c @file -");
    assert_eq!(check.words, ["-v", "-q", "-j", "-j4", "-I", "inc", "-x", "c++", "a.c", "-o", "-c", "@file", "-"]);
}

#[test]
fn a_flag_for_the_linker_may_have_two_dashes() {
    let check = check("heddle check a.c -Xlinker --json -Wl,--json");
    assert_eq!(check.words, ["a.c", "-Xlinker", "--json", "-Wl,--json"]);
    assert!(!check.output.json);
}

#[test]
fn the_value_of_an_option_is_not_a_file() {
    let check = check("heddle check --out a.c b.c --cc gcc-12 --timeout 1m30s");
    assert_eq!(check.words, ["b.c"]);
    assert_eq!(check.building.cc.as_deref(), Some("gcc-12"));
    assert_eq!(check.timeout, Some(Duration::from_secs(90)));
}

#[test]
fn nothing_is_accepted_silently() {
    for (text, says) in [
        ("heddle check a.c --max-step 3", "--max-steps"),
        ("heddle check a.c --wakeup soon", "is not a wakeup policy"),
        ("heddle check a.c --wakeup mutex=fifo,spin=lifo", "`spin` has no wakeup policy"),
        ("heddle check a.c --spurious 1", "two dashes are heddle's own"),
        ("heddle check a.c --races maybe", "possible values"),
        ("heddle check a.c --std=c++20", "two dashes are heddle's own"),
        ("heddle check a.c --timeout", "a value is required"),
        ("heddle check a.c --timeout soon", "is not a duration"),
        ("heddle check a.c --max-steps 0", "0 is not in 1.."),
        ("heddle check a.c --max-executions -1", "-1"),
        ("heddle check a.c --memory-limit lots", "is not a size"),
        ("heddle check a.c --restart slowly", "possible values"),
        ("heddle check a.c --algorithm best", "possible values"),
        ("heddle check a.c --color blue", "possible values"),
        ("heddle check a.c --quiet --verbose", "cannot be used with"),
        ("heddle check a.c --json=yes", "unexpected value"),
        ("heddle check a.c --json --json", "cannot be used multiple times"),
        ("heddle chekc a.c", "check"),
        ("heddle a.c", "heddle check a.c"),
        ("heddle /tmp", "heddle test /tmp"),
        ("heddle help check", "max-preemptions"),
        ("heddle test", "required arguments"),
        ("heddle test a --exact", "--filter"),
        ("heddle test a --accept everything", "possible values"),
        ("heddle replay", "required arguments"),
        ("heddle replay a.json b.json", "unexpected argument"),
        ("heddle report a.json --text --json", "cannot be used with"),
    ] {
        let refusal = refusal(text);
        assert!(refusal.contains(says), "{text}\n{refusal}");
    }
}

#[test]
fn options_of_each_test_are_passed_on_as_they_were_typed() {
    let text = "heddle test build --filter races --max-preemptions 2 --out o --wakeup=fifo --leaks -- --races off";
    let Command::Test(test) = line(text).unwrap().command else { panic!() };
    assert_eq!(test.passed_on, ["--max-preemptions", "2", "--wakeup=fifo", "--leaks"]);
    assert_eq!(
        (test.arguments, test.filter),
        (vec!["--races".to_string(), "off".to_string()], vec!["races".to_string()])
    );
    assert_eq!(test.paths, [PathBuf::from("build")]);
}

#[test]
fn replays_and_reports() {
    let Command::Replay(replay) = line("heddle replay x.json --output").unwrap().command else { panic!() };
    assert!(replay.output && replay.program.is_none());
    let Command::Report(report) = line("heddle report x.json --json").unwrap().command else { panic!() };
    assert!(report.json);
}
