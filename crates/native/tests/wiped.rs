//! Executions whose states are compared find nothing of the runtime's on their stacks, and otherwise run as ever.

use crate::common::{WAYS, build, build_with, launch, options};
use heddle_model::follow::Policy;
use heddle_model::round::Round;
use heddle_model::wire::Restart;
use heddle_model::{Executor, Plan};

/// A plan whose states are compared, but never found equal: the round begins where no execution comes to.
fn compared(seed: u64) -> Plan {
    Plan { round: Some(Round { first: u32::MAX / 2, length: 1, ..Round::default() }), ..recorded(seed) }
}

fn recorded(seed: u64) -> Plan {
    Plan { policy: Policy::Random, seed, record: true, ..Plan::default() }
}

/// After each call of the runtime, counts the words below the frame that are not zero.
const LEFT: &str = r#"#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int failures;
/* Words of its own frame come first. */
__attribute__((noinline, no_sanitize("thread"))) static int words(void) {
    const volatile long *here = __builtin_frame_address(0);
    int count = 0;
    for (int i = 24; i < 1024; i++) count += here[-i] != 0;
    return count;
}
__attribute__((noinline, no_sanitize("thread"))) static void look(const char *after) {
    int left = words();
    if (left) { failures++; fprintf(stderr, "%d words after %s\n", left, after); }
}
#define AFTER(call) do { call; look(#call); } while (0)
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int atomic, shared[64], turn;
__attribute__((noinline)) static void write_shared(int i) { shared[i]++; }
static void nothing(void) {}
static void *worker(void *argument) {
    look("start");
    int mine = (int)(long)argument;
    AFTER(__atomic_fetch_add(&atomic, 1, __ATOMIC_SEQ_CST));
    AFTER(__atomic_load_n(&atomic, __ATOMIC_ACQUIRE));
    AFTER(write_shared(mine));
    AFTER(pthread_mutex_lock(&lock));
    AFTER(memset(shared + 8, mine, sizeof *shared * 8));
    AFTER(memcpy(shared + 16, shared + 8, sizeof *shared * 8));
    turn++;
    AFTER(pthread_cond_broadcast(&condition));
    while (turn < 2) AFTER(pthread_cond_wait(&condition, &lock));
    AFTER(pthread_mutex_unlock(&lock));
    AFTER(pthread_once(&once, nothing));
    void *block = 0;
    AFTER(block = malloc(100));
    AFTER(free(block));
    AFTER(sem_post(&semaphore));
    AFTER(pthread_self());
    AFTER(sched_yield());
    return 0;
}
int main(void) {
    look("main");
    pthread_t threads[2];
    AFTER(sem_init(&semaphore, 0, 0));
    AFTER(pthread_create(&threads[0], 0, worker, (void *)0));
    AFTER(pthread_create(&threads[1], 0, worker, (void *)1));
    AFTER(sem_wait(&semaphore));
    AFTER(pthread_join(threads[0], 0));
    AFTER(pthread_join(threads[1], 0));
    return failures ? 1 : 0;
}
"#;

#[test]
fn nothing_is_left_on_stacks() {
    for (compiler, flag) in [(None, "-O0"), (Some("gcc"), "-O0"), (None, "-O1"), (Some("gcc"), "-O2")] {
        let program = build_with(compiler, "left.c", LEFT, &[flag]).unwrap();
        let mut executor = launch(&program, options(WAYS[0]));
        for seed in 0..10 {
            let execution = executor.run(&compared(seed)).unwrap();
            let output = String::from_utf8_lossy(execution.output).into_owned();
            assert!(execution.outcome.is_ended(), "{compiler:?} {flag}: {:?} {}", execution.outcome, execution.message);
            assert_eq!(output, "", "{compiler:?} {flag}");
        }
        // The program would see what is left.
        let execution = executor.run(&recorded(0)).unwrap();
        assert!(String::from_utf8_lossy(execution.output).contains("words after"), "{compiler:?} {flag}");
    }
}

/// Everything that leaves or enters frames in unusual ways.
const UNWINDING: &str = r#"#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static std::once_flag once;
static std::atomic<int> handled;
static jmp_buf back;
static __int128 wide = ((__int128)1 << 100) + 5;
struct Says {
    const char *what;
    ~Says() { std::printf("%s\n", what); }
};
static void unlock(void *mutex) { pthread_mutex_unlock((pthread_mutex_t *)mutex); std::printf("cleaned up\n"); }
static void *cancelled(void *) {
    Says says{"cancelled"};
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    for (;;) pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return nullptr;
}
static void leave() { Says says{"left"}; pthread_exit((void *)7); }
static void *exits(void *) { Says says{"exited"}; leave(); return nullptr; }
static void caught(int) { handled++; }
static void jumps(int) { longjmp(back, 1); }
int main() {
    try {
        std::call_once(once, [] { Says says{"thrown through once"}; throw std::runtime_error("first"); });
    } catch (const std::exception &error) {
        std::printf("caught %s\n", error.what());
    }
    std::call_once(once, [] { std::printf("once\n"); });
    pthread_t one, two;
    void *value;
    pthread_create(&one, nullptr, cancelled, nullptr);
    pthread_create(&two, nullptr, exits, nullptr);
    pthread_join(two, &value);
    std::printf("value %ld\n", (long)value);
    pthread_cancel(one);
    pthread_join(one, &value);
    std::printf("%s\n", value == PTHREAD_CANCELED ? "is cancelled" : "is not cancelled");
    std::signal(SIGUSR1, caught);
    std::raise(SIGUSR1);
    std::printf("handled %d\n", handled.load());
    std::signal(SIGUSR2, jumps);
    if (!setjmp(back)) std::raise(SIGUSR2);
    else std::printf("jumped\n");
    std::string text(100, 'x');
    std::thread([&] { try { throw text; } catch (const std::string &thrown) { std::printf("%zu\n", thrown.size()); } }).join();
    int high = (int)(__atomic_load_n(&wide, __ATOMIC_SEQ_CST) >> 100);
    std::printf("%d %d\n", high, (int)__atomic_fetch_add(&wide, 1, __ATOMIC_SEQ_CST));
    return 0;
}
"#;

#[test]
fn unwinding_passes_stubs_that_wipe() {
    for (compiler, flag) in [(None, "-O0"), (Some("g++"), "-O2")] {
        let program = build_with(compiler, "unwinding.cpp", UNWINDING, &[flag, "-std=c++17", "-mcx16"]).unwrap();
        // Handlers of signals belong to the kernel.
        let mut executor = launch(&program, options(Restart::Fork));
        for seed in 0..10 {
            let execution = executor.run(&recorded(seed)).unwrap();
            assert!(execution.outcome.is_ended(), "{compiler:?} {:?} {}", execution.outcome, execution.message);
            let (output, events) = (execution.output.to_vec(), execution.events.to_vec());
            let execution = executor.run(&compared(seed)).unwrap();
            assert!(execution.outcome.is_ended(), "{compiler:?} {:?} {}", execution.outcome, execution.message);
            let show = |bytes| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(show(execution.output), show(&output), "{compiler:?}");
            assert_eq!(execution.events, events, "{compiler:?}");
            assert!(show(&output).contains("thrown through once\ncaught first\nonce\n"), "{}", show(&output));
            assert!(show(&output).contains("1 5\n"), "{}", show(&output));
        }
    }
}

/// A stack that is nearly full is not wiped beyond its end.
const DEEP: &str = r#"#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static int down(char *low) {
    volatile char frame[128];
    frame[0] = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return (char *)__builtin_frame_address(0) - low < 3072 ? 1 : down(low) + frame[0];
}
static void *worker(void *argument) {
    pthread_attr_t mine;
    size_t size;
    void *low;
    pthread_getattr_np(pthread_self(), &mine);
    pthread_attr_getstack(&mine, &low, &size);
    pthread_attr_destroy(&mine);
    return down(low) > 20 ? argument : 0;
}
int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    void *value;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    pthread_create(&thread, &attributes, worker, &thread);
    pthread_join(thread, &value);
    return value ? 0 : 1;
}
"#;

#[test]
fn a_small_stack_is_enough() {
    let program = build("deep.c", DEEP, &["-O1"]).unwrap();
    let mut executor = launch(&program, options(WAYS[0]));
    for plan in [recorded(1), compared(1)] {
        let execution = executor.run(&plan).unwrap();
        assert!(execution.outcome.is_ended(), "{:?} {}", execution.outcome, execution.message);
        assert!(execution.events.len() > 40, "{}", execution.events.len());
    }
}
