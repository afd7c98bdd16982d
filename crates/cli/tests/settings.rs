//! Every setting survives: from the command line to the trace, to a replay, to a search from the middle of it, to a checkpoint.

use heddle_model::primitive::choice;
use heddle_model::{Choice, Property, Settings, ThreadId, Trace};

use crate::common::Session;

const SPURIOUS_WAKEUP: &str = "
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *set(void *p) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    pthread_mutex_lock(&m);
    if (!ready) pthread_cond_wait(&c, &m);
    assert(ready);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
";

const SPURIOUS_FAILURE: &str = "
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *nothing(void *p) { return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    assert(pthread_mutex_trylock(&m) == 0);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
";

const UNDETERMINED: &str = "
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static void *nothing(void *p) { return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    assert(__VERIFIER_nondet_int() != 77);
    pthread_join(t, 0);
}
";

/// Of the two assertions, a search meets the first: it tries 0, but not the other number.
const SECRET_INPUT: &str = "
#include <assert.h>
#include <stdio.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    printf(\"input %u\\n\", x);
    assert(x != 0 && x != 3735928559u);
    assert(x != 12345678u);
}
";

const ONE_OF_THREE: &str = "
#include <assert.h>
#include <heddle.h>
int main(void) { assert(heddle_choose(3) == 0); }
";

/// The increments are plain: one is lost only if the accesses are steps.
const LOST_UPDATE: &str = "
#include <assert.h>
#include <pthread.h>
static int count;
static void *add(void *p) { count++; return p; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
}
";

/// The first execution fails, before anything has become visible: all that races becomes so in a search from its steps.
const LATE_PLACES: &str = "
#include <assert.h>
#include <pthread.h>
static int x, y;
static void *one(void *p) { x = 1; y = 1; return p; }
static void *two(void *p) { if (x == 1) y = 2; return p; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(y == 0);
}
";

const MISUSE: &str = "
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *unlock(void *p) { pthread_mutex_unlock(&m); return p; }
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, unlock, 0);
    pthread_join(t, 0);
    assert(pthread_mutex_trylock(&m) != 0);
}
";

/// With a policy, to wait for the mutex is two steps.
const QUEUED: &str = "
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int last;
static void *name(void *p) {
    pthread_mutex_lock(&m);
    last = (int)(long)p;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, name, (void *)1);
    pthread_create(&b, 0, name, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(last == 2);
}
";

/// Four time-outs of one thread while the other could go on: one more than are explored by default.
const FOUR_TIMEOUTS: &str = "
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static sem_t s;
static void *post(void *p) { sem_post(&s); return p; }
int main(void) {
    pthread_t t;
    int timeouts = 0;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, post, 0);
    for (int i = 0; i < 4; i++) {
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec++;
        timeouts += sem_timedwait(&s, &end) != 0;
    }
    assert(timeouts < 4);
    pthread_join(t, 0);
}
";

/// Compiles `source` once, for all runs of a test.
fn build(session: &Session, source: &str) -> String {
    let (file, program) = (session.write("program.c", source), session.path("program").display().to_string());
    session.run(["cc", "-g", &file.display().to_string(), "-o", &program, "-pthread"]).must_say(0, &[]);
    program
}

fn load(session: &Session, name: &str) -> Trace {
    let bytes = std::fs::read(session.path(name)).expect("there is a trace");
    Trace::from_bytes(&bytes).expect("it can be read")
}

/// Checks `source` with `options`, then from every prefix of what was found, without those options.
fn is_found_from_every_prefix(source: &str, options: &[&str]) {
    let session = Session::new();
    let program = build(&session, source);
    let run = session.check([&[&program, "--minimise", "off"][..], options].concat());
    assert_eq!(run.code, 1, "{run}");
    let found = load(&session, "out/latest/assertion-1.json");
    let file = session.path("found.json");
    std::fs::copy(session.path("out/latest/assertion-1.json"), &file).expect("it can be copied");
    for at in 0..=found.schedule.len() {
        let at = at.to_string();
        let run = session.check(["--from", &file.display().to_string(), "--at", &at, "--all"]);
        assert_eq!(run.code, 1, "{at}: {run}");
        let again = load(&session, "out/latest/assertion-1.json");
        assert_eq!(again.finding.message, found.finding.message, "{at}: {run}");
        let races = again.settings.properties.of(Property::Race);
        let settings = Settings { properties: found.settings.properties.with(Property::Race, races), ..found.settings };
        assert_eq!(again.settings, settings, "{at}: {run}");
    }
}

#[test]
fn a_spurious_wakeup_is_found_from_every_prefix() {
    is_found_from_every_prefix(SPURIOUS_WAKEUP, &["--spurious-wakeups", "1"]);
}

#[test]
fn a_spurious_failure_is_found_from_every_prefix() {
    is_found_from_every_prefix(SPURIOUS_FAILURE, &["--spurious-failures", "1"]);
}

#[test]
fn an_undetermined_value_is_found_from_every_prefix() {
    is_found_from_every_prefix(UNDETERMINED, &["--nondet", "3,77"]);
}

/// The trace that a check of `source` finds.
fn found(session: &Session, source: &str) -> Trace {
    let program = build(session, source);
    let run = session.check([&program, "--all"]);
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(run.json()["findings"].as_array().map(Vec::len), Some(1), "{run}");
    load(session, "out/latest/assertion-1.json")
}

/// Writes `trace` with the value of its only data choice changed to `value`. Returns the file and the step's index.
fn with_value(session: &Session, trace: &Trace, value: u64) -> (String, usize) {
    let mut trace = trace.clone();
    let given = |step: &heddle_model::follow::Step| matches!(step.choice(), Choice::Value(_));
    let at = trace.schedule.iter().position(given).expect("a trace names data by its value");
    assert!(choice::is_data(trace.schedule[at].code));
    trace.schedule[at] = trace.schedule[at].taking(Choice::Value(value));
    let file = session.path("changed.json");
    std::fs::write(&file, trace.to_bytes()).expect("it can be written");
    (file.display().to_string(), at)
}

#[test]
fn a_replay_gives_the_program_a_value_that_no_search_tries() {
    let session = Session::new();
    let trace = found(&session, SECRET_INPUT);
    assert!(!trace.settings.nondet.as_slice().iter().any(|&v| [3_735_928_559, 12_345_678].contains(&(v as u32))));
    let (changed, at) = with_value(&session, &trace, 3_735_928_559);
    session.run(["replay", &changed]).must_say(1, &["input = 3735928559", "3735928559u` failed"]);
    // More bits than the type has are cut off.
    let (changed, _) = with_value(&session, &trace, 7 << 32 | 3_735_928_559);
    session.run(["replay", &changed]).must_say(1, &["input = 3735928559"]);
    let (changed, _) = with_value(&session, &trace, 5);
    session.run(["replay", &changed]).must_say(2, &["was not reproduced"]);
    // Another value leads to another finding.
    let (changed, _) = with_value(&session, &trace, 12_345_678);
    session.run(["replay", &changed]).must_say(1, &["x != 12345678u` failed"]);
    let run = session.check(["--from", &changed, "--at", &(at + 1).to_string()]);
    assert_eq!(run.code, 1, "{run}");
    let other = load(&session, "out/latest/assertion-1.json");
    assert!(other.finding.message.contains("12345678"), "{run}");
    assert_eq!(other.schedule[at].choice(), Choice::Value(12_345_678));
}

#[test]
fn a_value_that_a_choice_does_not_have_is_a_divergence() {
    let session = Session::new();
    let trace = found(&session, ONE_OF_THREE);
    for other in [1, 2] {
        let (changed, _) = with_value(&session, &trace, other);
        session.run(["replay", &changed]).must_say(1, &[&format!("choose = {other} of 3")]);
    }
    for none in [3, 1 << 16, u64::MAX] {
        let (changed, at) = with_value(&session, &trace, none);
        session.run(["replay", &changed]).must_say(2, &["was not reproduced", &format!("step {}", at + 1)]);
    }
}

#[test]
fn what_visible_places_show_is_found_from_every_prefix() {
    is_found_from_every_prefix(LOST_UPDATE, &["--races", "ignore"]);
}

#[test]
fn places_that_become_visible_later_do_not_stray_from_the_prefix() {
    is_found_from_every_prefix(LATE_PLACES, &["--races", "ignore"]);
}

#[test]
fn what_follows_misuse_is_found_from_every_prefix() {
    is_found_from_every_prefix(MISUSE, &["--misuse", "off"]);
}

#[test]
fn what_a_wakeup_policy_shows_is_found_from_every_prefix() {
    is_found_from_every_prefix(QUEUED, &["--wakeup", "fifo"]);
}

#[test]
fn what_timeouts_show_is_found_from_every_prefix() {
    is_found_from_every_prefix(FOUR_TIMEOUTS, &["--max-timeouts", "4"]);
}

#[test]
fn what_several_settings_show_is_found_from_every_prefix() {
    let options = "--spurious-wakeups 1 --spurious-failures 1 --wakeup mutex=fifo,cond=lifo --races ignore --misuse off \
        --max-timeouts 1 --nondet 77 --quarantine 0 --restart fork --leaks";
    let options: Vec<&str> = options.split_whitespace().collect();
    is_found_from_every_prefix(SPURIOUS_WAKEUP, &options);
    is_found_from_every_prefix(LOST_UPDATE, &options);
}

/// An option for each setting, with a value that is not the default.
const OPTIONS: &[&[&str]] = &[
    &["--memory-limit", "512M"],
    &["--quarantine", "128K"],
    &["--hang-timeout", "7s"],
    &["--max-steps", "99"],
    &["--restart", "fork"],
    &["--races", "ignore"],
    &["--memory", "off"],
    &["--leaks"],
    &["--misuse", "off"],
    &["--livelocks", "off"],
    &["--max-timeouts", "5"],
    &["--spurious-wakeups", "2"],
    &["--spurious-failures", "1"],
    &["--wakeup", "fifo"],
    &["--nondet", "3,77"],
];

/// What no option changes.
const FIXED: [&str; 8] = ["deadlock", "assertion", "crash", "exit", "undefined", "hang", "reach", "determinism"];

/// The fields of `settings` that are the default's and could be something else.
fn unchanged(settings: &Settings) -> Vec<String> {
    let fields = settings.fields().into_iter().zip(Settings::default().fields());
    let same = fields.filter(|(one, usual)| one == usual).map(|((path, _), _)| path);
    // These need another search: the module `liveness` has tests of their own.
    let same = same.filter(|path| !path.starts_with("liveness."));
    same.filter(|path| path.strip_prefix("properties.").is_none_or(|name| !FIXED.contains(&name))).collect()
}

#[test]
fn every_setting_is_kept_by_the_trace_and_by_a_search_from_it() {
    let session = Session::new();
    let program = build(&session, UNDETERMINED);
    let options = OPTIONS.concat();
    let run = session.check([&[&program, "--outcomes"][..], &options].concat());
    assert_eq!(run.code, 1, "{run}");
    let found = load(&session, "out/latest/assertion-1.json");
    assert_eq!(unchanged(&found.settings), Vec::<String>::new(), "{run}");
    let file = session.path("found.json").display().to_string();
    std::fs::copy(session.path("out/latest/assertion-1.json"), &file).expect("it can be copied");
    let run = session.check(["--from", &file, "--at", "1"]);
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(load(&session, "out/latest/assertion-1.json").settings, found.settings, "{run}");
    // What is typed is stronger.
    let run = session.check(["--from", &file, "--at", "1", "--max-steps", "50"]);
    let settings = load(&session, "out/latest/assertion-1.json").settings;
    assert_eq!(settings, Settings { max_steps: 50, ..found.settings }, "{run}");
}

#[test]
fn a_checkpoint_is_of_one_settings_only() {
    let session = Session::new();
    let program = build(&session, LOST_UPDATE.replace("count == 2", "count < 3").as_str());
    let file = session.path("search.checkpoint").display().to_string();
    let check = |resume: bool, options: &[&str]| {
        let own = [if resume { "--resume" } else { "--checkpoint" }, &file, "--max-executions", "1"];
        session.run([&["check", &program][..], &own, options].concat())
    };
    let all = OPTIONS.concat();
    check(false, &all).must_say(3, &[]);
    for (left_out, option) in OPTIONS.iter().enumerate() {
        let others = OPTIONS.iter().enumerate().filter(|(index, _)| *index != left_out);
        let others: Vec<&str> = others.flat_map(|(_, option)| option.iter().copied()).collect();
        let name = option[0];
        check(true, &others).must_say(2, &[&format!("--resume: {name} has changed")]);
    }
    check(true, &all).must_say(3, &[]);
}

/// Two threads create a thread each: which of these has which number depends on who comes first.
const NESTED: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int last, done;\n\
    static void *one(void *p) { atomic_store(&last, 1); atomic_fetch_add(&done, 1); return p; }\n\
    static void *two(void *p) { atomic_store(&last, 2); atomic_fetch_add(&done, 2); return p; }\n\
    static void *first(void *p) { pthread_t t; pthread_create(&t, 0, one, 0); pthread_join(t, 0); return p; }\n\
    static void *second(void *p) { pthread_t t; pthread_create(&t, 0, two, 0); pthread_join(t, 0); return p; }\n\
    int main(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, first, 0);\n    pthread_create(&b, 0, second, 0);\n\
    pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(!(atomic_load(&last) == 1 && atomic_load(&done) == 3));\n}\n";

#[test]
fn threads_that_other_threads_create_have_the_same_numbers_in_a_replay() {
    is_found_from_every_prefix(NESTED, &[]);
    let session = Session::new();
    let program = build(&session, NESTED);
    let mut others = 0;
    for algorithm in ["random", "pct", "pos"] {
        for seed in ["1", "2", "3", "4"] {
            let run = session.check([&program, "--algorithm", algorithm, "--seed", seed, "--minimise", "off"]);
            assert_eq!(run.code, 1, "{algorithm} {seed}: {run}");
            let file = "out/latest/assertion-1.json";
            let creators: Vec<ThreadId> = load(&session, file).created.iter().map(|name| name.parent).collect();
            let met_first = creators.iter().find(|parent| **parent != ThreadId::MAIN);
            others += (met_first == Some(&ThreadId(2))) as u32;
            session
                .run(["replay", &session.path(file).display().to_string()])
                .must_say(1, &["reproduced: assertion-1"]);
        }
    }
    assert!(others > 0, "all of them meet threads in one order");
}

/// A plain write releases a loop that a search with waits would not let look again.
const WRITTEN_PLAINLY: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static atomic_int a = 1, seen, go;
__attribute__((noinline)) static int look(void)
{
    int value;
    while ((value = atomic_load(&a)) == 1) {
    }
    return value;
}
static void *worker(void *unused)
{
    look();
    atomic_store(&seen, 1);
    while (!atomic_load(&go)) {
    }
    int value = look();
    assert(value != 0);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    atomic_store(&a, 2);
    while (!atomic_load(&seen)) {
    }
    atomic_store(&a, 1);
    memset((void *)&a, 0, sizeof a);
    atomic_store(&go, 1);
    atomic_store(&a, 2);
    pthread_join(thread, 0);
}
"#;

/// What is found where loops go round is run again where loops go round.
#[test]
fn findings_are_run_again_as_they_were_found() {
    let session = Session::new();
    let file = session.write("plainly.c", WRITTEN_PLAINLY).display().to_string();
    let trace = session.path("out/latest/assertion-1.json").display().to_string();
    for words in [&["-O0"][..], &["-O1"], &["-O1", "--minimise", "off"]] {
        let run = session.check([&[file.as_str(), "--algorithm", "stateful"], words].concat());
        assert_eq!(run.code, 1, "{words:?}: {run}");
        session.run(["replay", &trace]).must_say(1, &["reproduced: assertion-1"]);
    }
}
