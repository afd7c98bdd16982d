//! `--algorithm stateful`: programs that never end, threads that do the same, and what tells states apart.

use crate::common::Session;

/// Two threads that exclude each other for ever by Peterson's algorithm.
pub const PETERSON: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifdef DRAWN
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
static char drawn[16];
#endif
static atomic_int wants[2], turn;
#ifdef SEEN
static atomic_int inside;
#else
static int inside;
#endif
static void *competitor(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    for (;;) {
#ifdef BAD
        atomic_store(&turn, other);
        atomic_store(&wants[me], 1);
#else
        atomic_store(&wants[me], 1);
        atomic_store(&turn, other);
#endif
        while (atomic_load(&wants[other]) && atomic_load(&turn) == other) {}
        inside++;
        assert(inside == 1);
        inside--;
        atomic_store(&wants[me], 0);
    }
    return 0;
}
int main(void) {
    pthread_t one;
#ifdef DRAWN
    memcpy(drawn, (void *)getauxval(AT_RANDOM), sizeof drawn);
    errno = EIO;
#endif
    pthread_create(&one, 0, competitor, (void *)1);
    competitor((void *)0);
}
"#;

/// Three stations that pass a token on for ever.
pub const RING: &str = r#"#include <pthread.h>
#define N 3
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int token;
static void *station(void *argument) {
    int me = (int)(long)argument;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (token != me) pthread_cond_wait(&changed, &lock);
        token = (me + 1) % N;
#ifdef BAD
        pthread_cond_signal(&changed);
#else
        pthread_cond_broadcast(&changed);
#endif
        pthread_mutex_unlock(&lock);
    }
}
int main(void) {
    pthread_t threads[N];
    for (long i = 1; i < N; i++) pthread_create(&threads[i], 0, station, (void *)i);
    station((void *)0);
}
"#;

/// Threads that add under one lock.
const ADDERS: &str = r#"#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *adder(void *argument) {
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, adder, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(sum == N);
}
"#;

/// Two threads that wait for each other, beside one that goes on for ever.
const CIRCLE: &str = r#"#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ticks;
static void *forward(void *argument) {
    for (;;) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return argument;
}
static void *backward(void *argument) {
    for (;;) {
        pthread_mutex_lock(&b);
        pthread_mutex_lock(&a);
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, forward, 0);
    pthread_create(&threads[1], 0, backward, 0);
    for (;;) atomic_store(&ticks, 1 - atomic_load(&ticks));
}
"#;

fn stateful(session: &Session, name: &str, text: &str, more: &[&str]) -> crate::common::Finished {
    let file = session.write(name, text).display().to_string();
    let words = [file.as_str(), "--algorithm", "stateful", "--timeout", "60s"];
    session.check(words.iter().chain(more).copied())
}

#[test]
fn programs_that_never_end_are_safe() {
    let session = Session::new();
    for (name, text) in [("peterson.c", PETERSON), ("ring.c", RING)] {
        for level in ["-O0", "-O1"] {
            let run = stateful(&session, name, text, &[level]);
            let report = run.json();
            assert_eq!((run.code, &report["verdict"]), (0, &"safe".into()), "{name} {level}\n{run}");
            assert_eq!(report["executions"], 0, "{name} {level}\n{run}");
            assert!(report["states"].as_u64().unwrap_or(0) > 50, "{name} {level}\n{run}");
        }
    }
    let file = session.write("peterson.c", PETERSON).display().to_string();
    let run = session.run(["check", &file, "-O1", "--algorithm", "stateful"]);
    run.must_say(0, &["safe: all ", " states; the program does not end, sequential consistency"]);
}

#[test]
fn planted_bugs_are_found() {
    let session = Session::new();
    let run = stateful(&session, "peterson.c", PETERSON, &["-DBAD"]);
    assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"data-race".into()), "{run}");
    let run = stateful(&session, "peterson.c", PETERSON, &["-DBAD", "-DSEEN"]);
    assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"assertion".into()), "{run}");
    let run = stateful(&session, "ring.c", RING, &["-DBAD"]);
    assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"deadlock".into()), "{run}");
    let run = stateful(&session, "circle.c", CIRCLE, &[]);
    assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"partial-deadlock".into()), "{run}");
}

/// Three states for each thread and who has joined whom, instead of an execution for each order.
#[test]
fn threads_that_do_the_same_have_few_states() {
    let session = Session::new();
    for (count, most) in [(3, 100), (5, 1200), (7, 12_000)] {
        let run = stateful(&session, "adders.c", ADDERS, &["-O1", &format!("-DN={count}")]);
        let report = run.json();
        assert_eq!((run.code, &report["verdict"]), (0, &"safe".into()), "{run}");
        let states = report["states"].as_u64().unwrap_or(u64::MAX);
        assert!(states < most, "{states} states of {count} threads\n{run}");
    }
}

/// A race between what was done before two orders meet and what is done after: the detector's knowledge is part of a state.
#[test]
fn races_across_states_are_found() {
    const TEXT: &str = r#"#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turns;
int value;
static void *early(void *argument) {
    value = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return argument;
}
static void *late(void *argument) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    turns++;
    turns++;
    value = 2;
    return argument;
}
int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, early, 0);
    pthread_create(&threads[1], 0, late, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
"#;
    let session = Session::new();
    for level in ["-O0", "-O1"] {
        let run = stateful(&session, "late.c", TEXT, &[level]);
        assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"data-race".into()), "{level}\n{run}");
    }
}

/// Who of two threads comes first is written to one place, and forgotten everywhere else. Then comes a decision, in two states that
/// differ in that place only, and the program exits with what it finds there. Where a place is no part of the state, one of the two ends is
/// never seen. What `take` and `keep` have in registers and on the stack is gone when they have returned.
const PLACES: &str = r#"#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define ALONE __attribute__((noinline, noclone)) static
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int who;
static void *comes(void *argument) {
    pthread_mutex_lock(&lock);
    if (!who) who = (int)(long)argument;
    pthread_mutex_unlock(&lock);
    return 0;
}
ALONE int take(void) { int first = who; who = 0; return first; }
ALONE void decide(void) { pthread_mutex_lock(&other); pthread_mutex_unlock(&other); }
static int kept;
static __thread int own;
static int *block;
static void *blocks[2];
static atomic_int word;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_t thread;
static int first_time;
static void *returns(void *argument) { (void)argument; return (void *)(long)take(); }
static void *ends(void *argument) { exit((int)(long)argument); }
static void handler(int status, void *argument) { (void)status; _exit((int)(long)argument); }
static void initialise(void) { first_time = 1; }
ALONE void keep(void) {
#if PLACE == 0
    kept = take();
#elif PLACE == 3
    own = take();
#elif PLACE == 4
    *block = take();
#elif PLACE == 5
    if (take() == 1) { free(blocks[0]); free(blocks[1]); } else { free(blocks[1]); free(blocks[0]); }
#elif PLACE == 6
    sigset_t set; sigemptyset(&set);
    if (take() == 1) sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &set, 0);
#elif PLACE == 7
    pthread_setcancelstate(take() == 1 ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, 0);
#elif PLACE == 8
    pthread_setname_np(pthread_self(), take() == 1 ? "one" : "two");
#elif PLACE == 9
    errno = take();
#elif PLACE == 10
    fesetround(take() == 1 ? FE_UPWARD : FE_TONEAREST);
#elif PLACE == 11
    pthread_create(&thread, 0, returns, 0);
#elif PLACE == 12
    on_exit(handler, (void *)(long)take());
#elif PLACE == 13
    pthread_create(&thread, 0, ends, (void *)(long)take());
#elif PLACE == 16
    if (take() == 1) pthread_mutex_lock(&held);
#elif PLACE == 17
    if (take() == 1) sem_post(&semaphore);
#elif PLACE == 18
    pthread_setspecific(key, (void *)(long)take());
#elif PLACE == 19
    if (take() == 1) pthread_once(&once, initialise);
    first_time = 0;
#elif PLACE == 20
    if (take() == 1) pthread_rwlock_rdlock(&rwlock);
#else
    take();
#endif
}
ALONE void run(void) {
    int found = 3;
    void *value;
    (void)value;
#if PLACE == 1
    volatile int local = take();
#elif PLACE == 2
    int local = take();
#elif PLACE == 14
    int nothing = 0; atomic_compare_exchange_strong(&word, &nothing, take());
#elif PLACE == 15
    atomic_store(&word, take());
#else
    keep();
#endif
    decide();
#if PLACE == 0
    found = kept;
#elif PLACE == 1 || PLACE == 2
    found = local;
#elif PLACE == 3
    found = own;
#elif PLACE == 4
    found = *block;
#elif PLACE == 5
    void *volatile next = malloc(40);
    found = next == blocks[0] ? 1 : 2;
#elif PLACE == 6
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, 0, &set);
    found = sigismember(&set, SIGUSR1) ? 1 : 2;
#elif PLACE == 7
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &found);
    found = found == PTHREAD_CANCEL_DISABLE ? 1 : 2;
#elif PLACE == 8
    char name[16]; pthread_getname_np(pthread_self(), name, sizeof name);
    found = name[0] == 'o' ? 1 : 2;
#elif PLACE == 9
    found = errno;
#elif PLACE == 10
    found = fegetround() == FE_UPWARD ? 1 : 2;
#elif PLACE == 11
    pthread_join(thread, &value); found = (int)(long)value;
#elif PLACE == 13
    for (;;) decide();
#elif PLACE == 14 || PLACE == 15
    found = word;
#elif PLACE == 16
    found = pthread_mutex_trylock(&held) ? 1 : 2;
#elif PLACE == 17
    found = sem_trywait(&semaphore) ? 2 : 1;
#elif PLACE == 18
    found = (int)(long)pthread_getspecific(key);
#elif PLACE == 19
    pthread_once(&once, initialise);
    found = first_time ? 2 : 1;
#elif PLACE == 20
    found = pthread_rwlock_trywrlock(&rwlock) ? 1 : 2;
#endif
    exit(found);
}
int main(void) {
    pthread_t threads[2];
    block = malloc(sizeof *block); *block = 0;
    blocks[0] = malloc(40); blocks[1] = malloc(40);
    sem_init(&semaphore, 0, 0);
    pthread_key_create(&key, 0);
    pthread_create(&threads[0], 0, comes, (void *)1);
    pthread_create(&threads[1], 0, comes, (void *)2);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    run();
}
"#;
const NUMBER_OF_PLACES: usize = 21;
/// A number that is no place: who came first is forgotten.
const NO_PLACE: usize = NUMBER_OF_PLACES;

/// The exit statuses of [`PLACES`] with this place, and what the search says of it.
fn statuses_of_place(session: &Session, place: usize) -> (Vec<u64>, crate::common::Finished) {
    let place_flag = format!("-DPLACE={place}");
    let mut more = vec!["-O2", "-lm", &place_flag, "--races", "off", "--memory", "off", "--exit-status", "ignore"];
    // The order of frees matters where blocks are used again.
    more.extend(["--quarantine", "0"]);
    let run = stateful(session, "places.c", PLACES, &more);
    let statuses = run.json()["exit_statuses"].as_array().cloned().unwrap_or_default();
    (statuses.iter().filter_map(|one| one["status"].as_u64()).filter(|one| *one != 0).collect(), run)
}

#[test]
fn everything_that_matters_tells_states_apart() {
    let session = Session::new();
    let mut wrong = Vec::new();
    for place in 0..NUMBER_OF_PLACES {
        let (seen, run) = statuses_of_place(&session, place);
        // One of them goes round before it ends, which is no proof.
        if !matches!(run.code, 0 | 3) || seen != [1, 2] {
            wrong.push(format!("place {place}: {seen:?}\n{run}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where who came first is forgotten, the two orders meet before the program ends. Otherwise the test above would hold of every program.
#[test]
fn what_is_forgotten_tells_no_states_apart() {
    let (seen, run) = statuses_of_place(&Session::new(), NO_PLACE);
    assert_eq!((seen, &run.json()["executions"]), (vec![3], &1.into()), "{run}");
}

/// A program that ends, and can go round before, may have a livelock: that is asked of all its cycles. And a block that is used again too
/// early would give a new future the state of an old one.
#[test]
fn what_goes_round_is_a_livelock_or_not() {
    let small = |name: &str| crate::common::root().join("tests/small").join(name).display().to_string();
    for (file, verdict) in [
        ("found/livelock-polite.c", "found"),
        ("found/livelock-after-you.c", "found"),
        // It is run twice, and ends in another way.
        ("safe/stack-async.cpp", "incomplete"),
        ("safe/memory-not-reused.c", "safe"),
    ] {
        let run = Session::new().check([small(file).as_str(), "--algorithm", "stateful", "--minimise", "off"]);
        assert_eq!(run.json()["verdict"], verdict, "{file}\n{run}");
    }
}

/// A thread that looks for what nobody does is no endless program that works.
#[test]
fn waiting_in_vain_is_not_called_safe() {
    for name in ["atomic-spin-nobody.c", "atomic-spin-each-other.c", "livelock-nobody-sets.c"] {
        let file = crate::common::root().join("tests/small/found").join(name).display().to_string();
        let run = Session::new().check([file.as_str(), "--algorithm", "stateful", "--minimise", "off"]);
        let report = run.json();
        assert_eq!((&report["verdict"], run.code), (&"found".into(), 1), "{name}\n{run}");
        assert_eq!(report["findings"][0]["kind"], "deadlock", "{name}\n{run}");
        let run = Session::new().check([file.as_str(), "--algorithm", "switches", "--minimise", "off"]);
        run.must_say(3, &["look for ever for what nobody does"]);
    }
}

/// Two ways lead to one state, and behind it the program does what is not understood: from then on all that was done before counts.
#[test]
fn a_history_that_begins_later_says_nothing_against_states_before() {
    let session = Session::new();
    let run = session.check(["tests/matrix/promise-set-at-exit.cpp", "--algorithm", "stateful"]);
    assert_eq!((run.code, run.json()["coverage"]["exhaustive"].as_bool()), (0, Some(true)), "{run}");
}

#[test]
fn what_is_not_understood_is_refused_or_keeps_states_apart() {
    const TEXT: &str = r#"#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *argument) {
#ifdef PIPE
    int ends[2];
    if (pipe(ends)) abort();
#else
    time(0);
#endif
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
"#;
    let session = Session::new();
    let run = stateful(&session, "outside.c", TEXT, &["-DPIPE"]);
    run.must_say(4, &["--algorithm stateful does not know the state of everything that the program uses: pipe"]);
    let run = stateful(&session, "outside.c", TEXT, &[]);
    assert_eq!((run.code, &run.json()["verdict"]), (0, &"safe".into()), "{run}");
    let file = session.path("outside.c").display().to_string();
    for (more, why) in [
        (["--restart", "fork"], "--algorithm stateful needs --restart snapshot"),
        (["--max-preemptions", "2"], "--algorithm stateful takes no bounds"),
        (["--outcomes", "--quiet"], "--algorithm stateful ends executions at states that it knows"),
    ] {
        let words = ["check", &file, "--algorithm", "stateful"];
        session.run(words.iter().chain(&more).copied()).must_say(2, &[why]);
    }
}

/// The first counterexample has the fewest switches: none is found with one less.
#[test]
fn the_fewest_switches_come_first() {
    const TEXT: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int stage;
static void *helper(void *argument) {
    for (int i = 0; i < 2; i++) {
        int now = atomic_load(&stage);
        if (now % 2 == 1) atomic_store(&stage, now + 1);
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, helper, 0);
    for (int i = 0; i < 2; i++) {
        int now = atomic_load(&stage);
        if (now % 2 == 0) atomic_store(&stage, now + 1);
    }
    assert(atomic_load(&stage) < 3);
    pthread_join(thread, 0);
}
"#;
    let session = Session::new();
    let file = session.write("stages.c", TEXT).display().to_string();
    let run = session.check([file.as_str(), "--algorithm", "switches"]);
    let switches = run.json()["findings"][0]["switches"].as_u64().unwrap_or(0);
    assert_eq!(run.code, 1, "{run}");
    assert!(switches > 1, "{run}");
    let (less, enough) = ((switches - 1).to_string(), switches.to_string());
    for (algorithm, most, code) in
        [("dfs", &less, 0), ("dfs", &enough, 1), ("switches", &less, 0), ("switches", &enough, 1)]
    {
        let run = session.check([file.as_str(), "--algorithm", algorithm, "--max-switches", most]);
        assert_eq!(run.code == 1, code == 1, "{algorithm} within {most}\n{run}");
    }
    let file = session.write("peterson.c", PETERSON).display().to_string();
    let run = session.check([file.as_str(), "-O1", "--algorithm", "switches"]);
    assert_eq!((run.code, &run.json()["executions"]), (0, &0.into()), "{run}");
}

/// A thread that waits in a loop for what nobody does is no end of the program. Where it does end in other orders, nothing is claimed.
#[test]
fn ends_that_are_not_reached_are_no_proof() {
    const TEXT: &str = r#"#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, turns;
static void *waits(void *argument) {
    atomic_store(&flag, 0);
    while (!atomic_load(&flag)) {
#ifdef BUSY
        atomic_fetch_xor(&turns, 1);
#endif
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    atomic_store(&flag, 1);
    pthread_join(thread, 0);
}
"#;
    let session = Session::new();
    let run = stateful(&session, "lost.c", TEXT, &["-DBUSY"]);
    run.must_say(3, &["the program ends, but not from "]);
    let run = stateful(&session, "lost.c", TEXT, &["-DBUSY", "--liveness", "ends"]);
    run.must_say(1, &["the program does not end"]);
    let run = stateful(&session, "lost.c", TEXT, &[]);
    run.must_say(1, &["looks for ever for what nobody does"]);
}

#[test]
fn a_search_ends_after_so_many_states() {
    let session = Session::new();
    let run = stateful(&session, "peterson.c", PETERSON, &["-O1", "--max-states", "20"]);
    run.must_say(3, &["stopped after 20 states as asked"]);
    let report = run.json();
    assert!(report["states"].as_u64().is_some_and(|states| states >= 20), "{run}");
    assert_eq!(report["coverage"]["bounds"]["states"], 20, "{run}");
    let run = stateful(&session, "peterson.c", PETERSON, &["-O1", "--max-states", "1000000"]);
    assert_eq!(run.code, 0, "{run}");
    let file = session.path("peterson.c").display().to_string();
    let words = ["check", &file, "--algorithm", "optimal", "--max-states", "20"];
    session.run(words).must_say(2, &["--max-states needs the default, --algorithm stateful"]);
}

/// The search as it was published comes to the same states, and is not asked for the fewest switches.
#[test]
fn searches_for_comparison() {
    let session = Session::new();
    let file = session.write("peterson.c", PETERSON).display().to_string();
    let states = |algorithm: &str| {
        let run = session.check([file.as_str(), "-O1", "--algorithm", algorithm]);
        assert_eq!((run.code, &run.json()["algorithm"]), (0, &algorithm.into()), "{run}");
        run.json()["states"].as_u64().unwrap_or(0)
    };
    let all = states("states");
    assert_eq!((states("switches"), states("csdr")), (all, all));
    assert!(states("stateful") <= all);
    let words = ["check", &file, "--algorithm", "csdr", "--max-switches", "2"];
    session.run(words).must_say(2, &["--algorithm csdr takes no bounds"]);
}
