//! Whole programs with threads: what is possible for some input in some order, and what is not.

use std::time::{Duration, Instant};

use heddle_symbolic::machine::Kind;
use heddle_symbolic::prove::{Conclusion, Question, Wrong};

use crate::common::{ENGINES, Engine, read};

const HEAD: &str = "#include <assert.h>\n#include <stdlib.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
                    extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int);\nvoid reach_error(void);\n\
                    typedef pthread_mutex_t M; typedef pthread_t T;\n#define L(m) pthread_mutex_lock(&m)\n#define U(m) pthread_mutex_unlock(&m)\n";

/// What one word says about a program.
fn verdict(body: &str, question: &Question, engine: Engine) -> Option<String> {
    let module = read(&format!("{HEAD}#line 1\n{body}"))?.expect("it is read");
    let concluded = engine.asked(&module, question);
    Some(match concluded {
        Err(refusal) => format!("refused {}: {}", refusal.site.line, refusal.what),
        Ok((Conclusion::Safe(_) | Conclusion::Within(..), _)) => "safe".to_owned(),
        Ok((Conclusion::Incomplete { why, .. }, _)) => format!("incomplete: {why}"),
        Ok((Conclusion::Found(found) | Conclusion::Unconfirmed(found), _)) => match found[0].wrong {
            Wrong::Condition(Kind::Assertion, site) => format!("assertion {}", site.line),
            Wrong::Condition(kind, site) => format!("{kind:?} {}", site.line),
            Wrong::Deadlock => "deadlock".to_owned(),
            Wrong::Race(site, _) => format!("race {}", site.line),
        },
    })
}

#[test]
fn programs_have_their_verdicts() {
    let cases: &[(&str, &str)] = &[
        // One counter, with and without its lock.
        (
            "M m = PTHREAD_MUTEX_INITIALIZER; int x;\nvoid *f(void *a) { L(m); x++; U(m); return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); L(m); x++; U(m); pthread_join(t, 0);\nassert(x == 2); }",
            "safe",
        ),
        (
            "int x;\nvoid *f(void *a) { x++; return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0);\nassert(x == 2); }",
            "assertion 4",
        ),
        // One input of four thousand million, in one order.
        (
            "M m = PTHREAD_MUTEX_INITIALIZER; int x, y;\nvoid *f(void *a) { L(m); y = x; U(m); return 0; }\n\
             int main(void) { int n = __VERIFIER_nondet_int(); T t; pthread_create(&t, 0, f, 0); L(m); x = n; U(m);\n\
             pthread_join(t, 0);\nassert(y != 123456789); }",
            "assertion 5",
        ),
        (
            "M m = PTHREAD_MUTEX_INITIALIZER; int x, y;\nvoid *f(void *a) { L(m); y = x; U(m); return 0; }\n\
             int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 0 && n < 10); T t;\n\
             pthread_create(&t, 0, f, 0); L(m); x = n; U(m); pthread_join(t, 0);\nassert(y < 10 && y >= 0); }",
            "safe",
        ),
        // Arguments of threads, in a loop; results of threads.
        (
            "int a[3]; int id[3];\nvoid *f(void *p) { int i = *(int *)p; a[i] = i * i; return &a[i]; }\n\
             int main(void) { T t[3]; for (int i = 0; i < 3; i++) { id[i] = i; pthread_create(&t[i], 0, f, &id[i]); }\n\
             int s = 0; for (int i = 0; i < 3; i++) { void *r; pthread_join(t[i], &r); s += *(int *)r; }\nassert(s == 5); }",
            "safe",
        ),
        // Two locks, two orders.
        (
            "M m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\nvoid *f(void *a) { L(m); L(n); U(n); U(m); return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); L(n); L(m); U(m); U(n); pthread_join(t, 0); }",
            "deadlock",
        ),
        (
            "M m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\nvoid *f(void *a) { L(m); L(n); U(n); U(m); return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); L(m); L(n); U(n); U(m); pthread_join(t, 0); }",
            "safe",
        ),
        // A block that another thread frees; a pointer that another thread sets.
        (
            "int *p;\nvoid *f(void *a) { free(p); return 0; }\n\
             int main(void) { p = malloc(4); T t; pthread_create(&t, 0, f, 0);\n*p = 1;\npthread_join(t, 0); }",
            "Dangling 4",
        ),
        (
            "int *p;\nvoid *f(void *a) { free(p); return 0; }\n\
             int main(void) { p = malloc(4); *p = 1; T t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }",
            "safe",
        ),
        (
            "int x = 1, y = 2, *p = &x;\nvoid *f(void *a) { p = &y; return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); int v = *p; pthread_join(t, 0);\nassert(v == 1 || v == 2); assert(*p == 2); }",
            "safe",
        ),
        (
            "int x = 1, *p = &x;\nvoid *f(void *a) { p = 0; return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0);\nif (p) {\nx = *p; }\npthread_join(t, 0); }",
            "Null 5",
        ),
        // An index from outside into a table that another thread shrinks; repaired.
        (
            "M m = PTHREAD_MUTEX_INITIALIZER; int n = 8; int table[8];\nvoid *f(void *a) { L(m); n = 4; U(m); return 0; }\n\
             int main(void) { int i = __VERIFIER_nondet_int(); T t; pthread_create(&t, 0, f, 0);\n\
             L(m); int ok = i >= 0 && i < n; U(m);\nif (ok) { L(m); assert(i < n); table[i] = 1; U(m); }\npthread_join(t, 0); }",
            "assertion 5",
        ),
        (
            "M m = PTHREAD_MUTEX_INITIALIZER; int n = 8; int table[8];\nvoid *f(void *a) { L(m); n = 4; U(m); return 0; }\n\
             int main(void) { int i = __VERIFIER_nondet_int(); T t; pthread_create(&t, 0, f, 0);\n\
             L(m); if (i >= 0 && i < n) { assert(i < n); table[i] = 1; } U(m);\npthread_join(t, 0); }",
            "safe",
        ),
        // Open indices into an array that threads share.
        (
            "int a[4]; int i;\nvoid *f(void *p) { a[i & 3] = 1; return 0; }\n\
             int main(void) { i = __VERIFIER_nondet_int(); T t; pthread_create(&t, 0, f, 0); int v = a[2]; pthread_join(t, 0);\n\
             assert(a[i & 3] == 1); assert(v == 0 || (i & 3) == 2); }",
            "safe",
        ),
        // Semaphores and condition variables.
        (
            "sem_t s; int x;\nvoid *f(void *a) { x = 1; sem_post(&s); return 0; }\n\
             int main(void) { T t; sem_init(&s, 0, 0); pthread_create(&t, 0, f, 0); sem_wait(&s);\nassert(x == 1); pthread_join(t, 0); }",
            "safe",
        ),
        (
            "sem_t s; int x;\nvoid *f(void *a) { sem_post(&s); x = 1; return 0; }\n\
             int main(void) { T t; sem_init(&s, 0, 0); pthread_create(&t, 0, f, 0); sem_wait(&s);\nassert(x == 1); pthread_join(t, 0); }",
            "assertion 4",
        ),
        (
            "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;\n\
             void *f(void *a) { pthread_cond_signal(&c); L(m); ready = 1; U(m); return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); L(m); if (!ready) pthread_cond_wait(&c, &m); U(m); pthread_join(t, 0); }",
            "deadlock",
        ),
        (
            "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;\n\
             void *f(void *a) { L(m); ready = 1; pthread_cond_signal(&c); U(m); return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); L(m); while (!ready) pthread_cond_wait(&c, &m); U(m); pthread_join(t, 0); }",
            "safe",
        ),
        // Atomics.
        (
            "atomic_int x;\nvoid *f(void *a) { atomic_fetch_add(&x, 1); return 0; }\n\
             int main(void) { T t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0);\nassert(x == 2); }",
            "safe",
        ),
        (
            "atomic_int x;\nvoid *f(void *a) { int e = 0; if (atomic_compare_exchange_strong(&x, &e, 1)) return &x; return 0; }\n\
             int main(void) { T t; void *r; pthread_create(&t, 0, f, 0); int e = 0; int mine = atomic_compare_exchange_strong(&x, &e, 2);\n\
             pthread_join(t, &r);\nassert(mine == !r); }",
            "safe",
        ),
        // A product compared with itself across threads.
        (
            "int n; int p, q;\nvoid *f(void *a) { p = n * n; return 0; }\n\
             int main(void) { n = __VERIFIER_nondet_int(); T t; pthread_create(&t, 0, f, 0); q = n * n; pthread_join(t, 0);\n\
             assert(p == q); }",
            "safe",
        ),
    ];
    let mut wrong = Vec::new();
    for (body, expected) in cases {
        // A machine that is busy takes its time; hours are none of it.
        let deadline = Some(Instant::now() + Duration::from_secs(60));
        for engine in ENGINES {
            let Some(found) = verdict(body, &Question { deadline, ..Question::default() }, engine) else { return };
            if &found != expected {
                wrong.push(format!("{engine:?}: {found}, not {expected}:\n{body}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn races_are_asked_for() {
    let racing = "int x;\nvoid *f(void *a) {\nx = 1; return 0; }\nint main(void) { T t; pthread_create(&t, 0, f, 0);\nx = 2; pthread_join(t, 0); }";
    for engine in ENGINES {
        let Some(found) = verdict(racing, &Question::default(), engine) else { return };
        assert_eq!(found, "safe");
        let question = Question { races: true, ..Question::default() };
        let found = verdict(racing, &question, engine).expect("as above");
        assert!(found.starts_with("race"), "{engine:?}: {found}");
    }
}
