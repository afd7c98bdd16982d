//! A check that is cut off and resumed reports what an undisturbed one reports: every exhaustive algorithm, with and without
//! bounds, on programs that differ in what a checkpoint has to keep.

use crate::common::matrix::for_each;
use crate::common::{Session, is_full, root, timeless};

/// The exhaustive searches.
const SEARCHES: [&[&str]; 12] = [
    &["--algorithm", "default"],
    &["--algorithm", "optimal"],
    &["--algorithm", "source"],
    &["--algorithm", "dpor"],
    &["--algorithm", "dpor", "--no-sleep-sets"],
    &["--algorithm", "dfs"],
    &["--max-preemptions", "1"],
    &["--max-switches", "4"],
    &["--max-delays", "2"],
    &["--iterate"],
    &["--algorithm", "dfs", "--max-preemptions", "1"],
    &["--algorithm", "dfs", "--iterate"],
];

/// No search runs more than this.
const MOST: u64 = 150;

/// Many executions, and four findings that single executions show: the number of its execution is part of a finding.
const RARE: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int order;
static void *work(void *p) {
    for (int i = 0; i < 2; i++) atomic_store(&order, atomic_load(&order) * 3 + (int)(long)p);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)1);
    pthread_create(&b, 0, work, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    int end = order;
    assert(end != 76);
    assert(end != 52);
    assert(end != 68);
    assert(end != 7);
}
";

/// In one order a thread calls what Heddle does not control.
const UNSUPPORTED: &str = "
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>
#include <unistd.h>
static atomic_int turn;
static int child(void *p) { return p != 0; }
static char stack[65536];
static void *work(void *p) {
    if (atomic_fetch_add(&turn, 1) == 2 && (long)p == 0)
        clone(child, stack + sizeof stack, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0);
    return p;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
";

/// Where a search of `ran` executions is cut off: at the beginning, where the first plans that were under way at once are over, and
/// somewhere later. Other searches have other places.
fn cuts(ran: u64, search: usize) -> Vec<u64> {
    let cuts = match is_full() {
        true => (1..ran).collect(),
        false => vec![1, 2 + search as u64 % 5, 16 + search as u64, 30 + search as u64 % 4, ran * 2 / 3, ran - 1],
    };
    let mut cuts: Vec<u64> = cuts.into_iter().filter(|cut| (1..ran).contains(cut)).collect();
    cuts.sort();
    cuts.dedup();
    cuts
}

/// Cuts a search of `program` off, resumes it, and compares what it reports in the end. Returns what differs.
fn difference(session: &Session, program: &str, number: usize, options: &[&str]) -> Option<String> {
    let words = [&["check", "--json", "--all", "--minimise", "off", program], options, SEARCHES[number]].concat();
    let run = |more: &[&str]| {
        let out = format!("--out={}", session.path(&format!("out-{number}")).display());
        session.run([&words[..], &[&out], more].concat())
    };
    let most = MOST.to_string();
    let whole = run(&["--max-executions", &most]);
    let json = whole.json();
    let count = |field: &str| json[field].as_u64().unwrap_or(0);
    let file = session.path(&format!("search-{number}")).display().to_string();
    for cut in cuts(count("executions") + count("blocked") + count("cut"), number) {
        let first = run(&["--checkpoint", &file, "--max-executions", &cut.to_string()]);
        if !std::path::Path::new(&file).exists() {
            return Some(format!("no checkpoint after {cut}\n{first}"));
        }
        let resumed = run(&["--resume", &file, "--max-executions", &most]);
        let _ = std::fs::remove_file(&file);
        if resumed.code != whole.code || timeless(resumed.json()) != timeless(whole.json()) {
            return Some(format!("cut off after {cut}: another report\n{resumed}\nof\n{whole}"));
        }
    }
    None
}

fn must_agree(source: &str, flags: &[&str], options: &[&str]) {
    let session = Session::new();
    let program = session.path("program").display().to_string();
    let compiler = if source.ends_with(".cpp") { "c++" } else { "cc" };
    let words = [&[compiler, "-g", source, "-o", &program, "-pthread"], flags].concat();
    session.run(words).must_say(0, &[]);
    for_each(SEARCHES.len(), |number| difference(&session, &program, number, options));
}

/// A program of the repository.
fn repository(file: &str, flags: &[&str], options: &[&str]) {
    must_agree(&root().join(file).display().to_string(), flags, options);
}

/// A program that is written here.
fn written(source: &str) {
    let sources = Session::new();
    must_agree(&sources.write("program.c", source).display().to_string(), &[], &[]);
}

#[test]
fn counts() {
    repository("tests/counts/lastzero.c", &["-DN=6"], &[]);
}

#[test]
fn races_and_places_that_become_visible() {
    repository("examples/race-queue.c", &[], &[]);
}

#[test]
fn livelocks_and_executions_that_are_cut_off() {
    repository("tests/small/found/livelock-philosophers.c", &["-DN=4"], &["--max-steps", "40"]);
}

#[test]
fn deadlocks() {
    repository("examples/philosophers.c", &[], &[]);
}

#[test]
fn notes() {
    repository("tests/programs/notes-some.c", &[], &[]);
}

#[test]
fn atomic_sections() {
    repository("tests/programs/section-order.c", &[], &[]);
}

#[test]
fn findings_of_single_executions() {
    written(RARE);
}

#[test]
fn unsupported_calls() {
    written(UNSUPPORTED);
}

/// One resume after the other.
#[test]
fn cut_off_after_every_execution() {
    let session = Session::new();
    let program = root().join("examples/race-queue.c").display().to_string();
    let words =
        ["check", "--json", "--all", "--minimise", "off", &program, "--algorithm", "dfs", "--max-preemptions", "1"];
    let file = session.path("search").display().to_string();
    let mut last = 1;
    let mut run = session.run([&words[..], &["--checkpoint", &file, "--max-executions", "1"]].concat());
    for limit in 2.. {
        if !std::path::Path::new(&file).exists() {
            break;
        }
        assert!(limit < MOST, "it does not come to an end\n{run}");
        last = limit;
        run = session.run([&words[..], &["--resume", &file, "--max-executions", &limit.to_string()]].concat());
    }
    // The limit is part of the report.
    let whole = session.run([&words[..], &["--max-executions", &last.to_string()]].concat());
    assert_eq!(timeless(run.json()), timeless(whole.json()), "{run}\nof\n{whole}");
}
