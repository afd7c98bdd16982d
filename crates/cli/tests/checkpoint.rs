//! `--checkpoint` and `--resume`: whatever is killed, and whenever, the counts in the end are those of a run that nobody
//! disturbed.

use std::path::PathBuf;

use crate::common::{Finished, Session, computed, number, root, seed, send, wait_until};

/// How often something is killed. `HEDDLE_KILLS` for more: `./x kills`.
fn kills() -> u32 {
    number("HEDDLE_KILLS", 10) as u32
}

fn lastzero() -> String {
    root().join("tests/counts/lastzero.c").display().to_string()
}

/// A search that was cut off can go on.
struct Interrupted {
    session: Session,
    words: Vec<String>,
}

impl Interrupted {
    fn new(words: &[&str]) -> Interrupted {
        Interrupted { session: Session::new(), words: words.iter().map(|word| word.to_string()).collect() }
    }

    fn file(&self) -> PathBuf {
        self.session.path("search.checkpoint")
    }

    fn arguments(&self, resume: bool) -> Vec<String> {
        let option = if resume { "--resume" } else { "--checkpoint" };
        let own = ["check", "--json", option, &self.file().display().to_string(), "--checkpoint-interval", "50ms"];
        own.iter().map(|word| word.to_string()).chain(self.words.iter().cloned()).collect()
    }

    fn run(&self, resume: bool, more: &[&str]) -> Finished {
        let more = more.iter().map(|word| word.to_string());
        self.session.start(self.session.command(self.arguments(resume).into_iter().chain(more))).wait()
    }
}

#[test]
fn cut_off_by_a_limit_and_continued() {
    let file = lastzero();
    let search = Interrupted::new(&[&file, "-DN=9"]);
    let first = search.run(false, &["--max-executions", "100"]);
    assert_eq!((first.code, first.json()["executions"].as_u64()), (3, Some(100)), "{first}");
    let second = search.run(true, &["--max-executions", "700"]);
    assert_eq!((second.code, second.json()["executions"].as_u64()), (3, Some(700)), "{second}");
    let last = search.run(true, &["--jobs", "2", "--jobs-at-once"]);
    // lastzero(9) = 12 * 2^7.
    assert_eq!((last.code, last.json()["executions"].as_u64()), (0, Some(1536)), "{last}");
    assert!(!search.file().exists(), "it is complete");
    search.session.must_be_clean(&last);
}

#[test]
fn another_program_or_other_options() {
    let session = Session::new();
    let source = std::fs::read_to_string(lastzero()).unwrap();
    let file = session.write("program.c", &source).display().to_string();
    let search = Interrupted { session, words: vec![file.clone(), "-DN=7".to_owned()] };
    assert_eq!(search.run(false, &["--max-executions", "10"]).code, 3);
    let refused = |words: &[&str], says: &str| {
        search.run(true, words).must_say(2, &["has changed since the checkpoint was written", says]);
    };
    refused(&["--races", "ignore"], "--races");
    refused(&["--leaks"], "--leaks");
    refused(&["--max-steps", "9"], "--max-steps");
    refused(&["-DM=1", "-O2"], "the program");
    refused(&["--", "argument"], "the program's arguments");
    search.session.write("program.c", source.replace("assert(i >= 0)", "assert(i > -1)"));
    refused(&[], "the program");
    search.session.write("program.c", &source);
    std::fs::write(search.session.path("cut"), &std::fs::read(search.file()).unwrap()[..100]).unwrap();
    let cut = search.session.path("cut").display().to_string();
    search.session.run(["check", "--resume", &cut, &file, "-DN=7"]).must_say(2, &["damaged"]);
    search.session.run(["check", "--resume", &file, &file]).must_say(2, &["not a checkpoint"]);
    search.session.run(["check", "--resume", "nowhere", &file]).must_say(2, &["nowhere"]);
    refused(&["--algorithm", "dpor"], "--algorithm");
    refused(&["--max-preemptions", "1"], "--max-preemptions");
    let listed = ["check", "--checkpoint", &cut, &file, "--dump-executions"];
    search.session.run(listed).must_say(2, &["--dump-executions lists the executions of one run"]);
    assert_eq!(search.run(true, &[]).json()["executions"].as_u64(), Some(320), "lastzero(7) = 10 * 2^5");
}

/// Ctrl-C: what was run until then is not run again.
#[test]
fn interrupted_by_the_user() {
    let file = lastzero();
    let search = Interrupted::new(&[&file, "-DN=13"]);
    let mut running = search.session.start(search.session.command(search.arguments(false)));
    wait_until("a checkpoint is written", || search.file().exists() || running.has_ended());
    running.signal("INT");
    let first = running.wait();
    let last = if first.code == 3 { search.run(true, &[]) } else { first };
    assert_eq!((last.code, last.json()["executions"].as_u64()), (0, Some(16 << 11)), "{last}");
}

/// Threads that create threads: who is who is part of the search, and not only what was run.
#[test]
fn threads_in_any_order() {
    const SOURCE: &str = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int turn;\n\
        static void *leaf(void *p) { atomic_fetch_add(&turn, 1); return p; }\n\
        static void *branch(void *p) { pthread_t t; if (atomic_fetch_add(&turn, 1) % 2 == 0) { pthread_create(&t, 0, leaf, 0); pthread_join(t, 0); } return p; }\n\
        int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, branch, 0);\n\
          for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }\n";
    let sources = Session::new();
    let file = sources.write("tree.c", SOURCE).display().to_string();
    for cut in ["1", "2", "5", "10", "20"] {
        let search = Interrupted::new(&[&file]);
        let first = search.run(false, &["--max-executions", cut]);
        assert_eq!(first.code, 3, "{first}");
        let last = search.run(true, &[]);
        assert_eq!((last.code, last.json()["executions"].as_u64()), (0, Some(30)), "{cut}: {last}");
    }
}

#[test]
fn killed_at_random_moments() {
    let file = lastzero();
    let mut random = seed(0x9e37_79b9_7f4a_7c15);
    let mut below = |bound: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % bound
    };
    let (mut killed, mut resumed) = (0, 0);
    while killed < kills() {
        let search =
            Interrupted::new(&[&file, "-DN=13", "--jobs-at-once", "--jobs", if below(2) == 0 { "1" } else { "2" }]);
        let last = loop {
            let resume = search.file().exists();
            resumed += u32::from(resume);
            let mut running = search.session.start(search.session.command(search.arguments(resume)));
            // Mostly some time after a checkpoint, now and then before there is any.
            if below(10) != 0 {
                wait_until("a checkpoint is written", || search.file().exists() || running.has_ended());
            }
            let then = computed(running.pid()) + below(40);
            wait_until("the search goes on", || computed(running.pid()) >= then || running.has_ended());
            // Heddle itself, or one of the program's processes, while they are there.
            let programs = search.session.programs(&running);
            if !running.has_ended() && killed < 2 * kills() {
                killed += 1;
                match programs.get(below(4) as usize) {
                    Some(&pid) => send(pid, "KILL"),
                    None => running.signal("KILL"),
                }
            }
            let finished = running.wait();
            if finished.code != -9 {
                break finished;
            }
        };
        let json = last.json();
        // lastzero(13) = 16 * 2^11.
        assert_eq!((json["verdict"].as_str(), json["executions"].as_u64()), (Some("safe"), Some(16 << 11)), "{last}");
        search.session.must_be_clean(&last);
        assert!(!search.file().exists());
    }
    assert!(resumed > 0, "nothing went on from a checkpoint");
}
