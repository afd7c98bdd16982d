//! Names of threads, of what lies in the heap, and of values, as reports have them.

use crate::common::{Session, can_use, installed};

/// Where the heap's objects are of known types, each got in another way.
const HEAP: &str = "#include <atomic>
#include <cstdlib>
#include <memory>
#include <pthread.h>
#include <thread>
#include <vector>
struct Stats { long misses; int hits; };
template <class T> void race(T &place)
{
    std::thread other([&] { pthread_setname_np(pthread_self(), \"bumper\"); place++; });
    place++;
    other.join();
}
static void *opaque(size_t size) { return malloc(size); }
int main()
{
#if KIND == 0
    auto *s = new Stats();
    race(s->hits);
#elif KIND == 1
    auto s = std::make_unique<Stats>();
    race(s->hits);
#elif KIND == 2
    auto s = std::make_shared<Stats>();
    race(s->hits);
#elif KIND == 3
    std::vector<Stats> all(3);
    race(all[2].hits);
#elif KIND == 4
    Stats *s = static_cast<Stats *>(malloc(sizeof(Stats)));
    race(s->hits);
#elif KIND == 5
    struct Stats *s;
    s = (Stats *)calloc(4, sizeof *s);
    race(s[1].hits);
#elif KIND == 6
    auto *s = (Stats *)opaque(sizeof(Stats));
    race(s->hits);
#endif
}
";

#[test]
fn parts_of_heap_blocks_are_named_by_type_and_field() {
    let session = Session::new();
    let file = session.write("p.cpp", HEAP).display().to_string();
    let cases = [
        (0, "`Stats::hits`"),
        (1, "`Stats::hits`"),
        (2, "`Stats::hits`"),
        (3, "`Stats[2].hits`"),
        (4, "`Stats::hits`"),
        (5, "`Stats[1].hits`"),
        (6, "4 bytes at offset 8 of a heap block of 16 bytes"),
    ];
    let clang = can_use("clang", installed("clang-19"));
    for (kind, name) in cases {
        // One compiler for most is enough: the places of calls and the types are what differs.
        for compiler in if clang && kind < 4 { &["gcc", "clang-19"][..] } else { &["gcc"] } {
            let run = session.run(["check", &file, &format!("-DKIND={kind}"), "--cc", compiler]);
            run.must_say(1, &[&format!("data-race: {name}: thread "), "(bumper)"]);
        }
    }
}

/// A stack whose pop reads a node that another thread takes, and puts back: every value is told by what it is.
const VALUES: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { struct node *next; };
static _Atomic(struct node *) head;
static _Atomic int taken;
static void push(struct node *n)
{
    n->next = atomic_load(&head);
    while (!atomic_compare_exchange_strong(&head, &n->next, n)) {}
}
static struct node *pop(void)
{
    struct node *old = atomic_load(&head);
    while (old != NULL && !atomic_compare_exchange_strong(&head, &old, old->next)) {}
    return old;
}
static void *one(void *u) { pop(); atomic_fetch_sub(&taken, 1); return u; }
static void *two(void *u)
{
    struct node *a = pop(), *b = pop();
    if (a) push(a);
    atomic_fetch_sub(&taken, b != NULL);
    return u;
}
int main(void)
{
    for (int i = 0; i < 2; i++) {
        struct node *n = malloc(sizeof *n);
        push(n);
    }
    pthread_t t, v;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&v, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(v, NULL);
    int left = 0;
    while (pop() != NULL) left++;
    assert(left - taken == 2);
}
";

#[test]
fn values_are_told_as_the_program_means_them_and_the_middle_of_an_aba_is_shown() {
    let session = Session::new();
    let file = session.write("p.c", VALUES).display().to_string();
    let run = session.run(["check", &file, "--cc", "gcc", "--races", "off"]);
    run.must_say(1, &["cas head null -> &node#1", "cas head &node#1 -> &node#2", "update taken 0 -> -1"]);
    // Two takes both, and puts one back, between one's look and its exchange.
    let steps: Vec<&str> = run.stdout.lines().filter(|line| line.contains("head")).collect();
    assert!(
        run.stdout.contains("cas head &node#2 -> &node#1") && run.stdout.contains("cas head &node#1 -> null"),
        "{run}"
    );
    assert!(run.stdout.contains("cas head null -> &node#2"), "{steps:#?}");
}

#[test]
fn a_lambda_is_named_after_its_function_and_text_stays_in_its_column() {
    let session = Session::new();
    let program = "#include <atomic>\n#include <cassert>\n#include <thread>\nstatic std::atomic<int> a_counter_with_a_long_name{0};\nint main()\n{\n    \
                   auto add = [] { int seen = a_counter_with_a_long_name; a_counter_with_a_long_name = seen + 1; };\n    std::thread one(add), two(add);\n    \
                   one.join();\n    two.join();\n    assert(a_counter_with_a_long_name == 2);\n}\n";
    let file = session.write("a-file-with-a-long-name-too.cpp", program).display().to_string();
    for compiler in ["gcc", "clang-19"] {
        if compiler != "gcc" && !can_use("clang", installed(compiler)) {
            continue;
        }
        let run = session.run(["check", &file, "--cc", compiler]);
        run.must_say(1, &["lambda", "in main"]);
        let table: Vec<&str> =
            run.stdout.lines().skip_while(|line| !line.starts_with("interleaving")).skip(1).collect();
        let table: Vec<&str> = table.into_iter().take_while(|line| !line.is_empty()).collect();
        let bars = |line: &str| line.match_indices('|').map(|(at, _)| at).collect::<Vec<_>>();
        let first = bars(table[0]);
        assert_eq!(first.len(), 3, "{run}");
        assert!(table.iter().all(|line| bars(line) == first), "{compiler}: every line has all borders\n{run}");
        assert!(!run.stdout.contains("std::thread::join()"), "steps of the library are left out\n{run}");
    }
}

/// The signal that was lost is the reason, however much happened on the same objects after it.
#[test]
fn a_lost_signal_is_among_the_steps() {
    let session = Session::new();
    let program = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
                   static void *waits(void *u)\n{\n    pthread_mutex_lock(&m);\n    pthread_cond_wait(&c, &m);\n    pthread_mutex_unlock(&m);\n    return u;\n}\n\
                   int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, NULL, waits, NULL);\n    pthread_cond_signal(&c);\n    \
                   for (int i = 0; i < 30; i++) {\n        pthread_mutex_lock(&m);\n        pthread_mutex_unlock(&m);\n    }\n    pthread_join(t, NULL);\n}\n";
    let file = session.write("p.c", program).display().to_string();
    let run = session.run(["check", &file, "--cc", "gcc", "--algorithm", "dfs", "--minimise", "off"]);
    run.must_say(1, &["the signal was lost", "signal c wakes nobody"]);
}
