//! Every family of clauses is needed: without it the formula says something wrong of one of these programs, and with all of them it does not.

use std::collections::BTreeSet;

use heddle_symbolic::prove::{Family, Question, Verdict, Wrong, ask, with_stack};

use crate::common::{HEAD, read};

/// A program, and what is wrong with it.
const PROGRAMS: &[(&str, &str)] = &[
    // Memory.
    ("int x, y; F(x = 1; y = 1;) MAIN(RUN int b = y, a = x; assert(!b || a); JOIN)", ""),
    ("int x, y; F(x = 1; y = 1;) MAIN(RUN int a = x, b = y; assert(!b || a); JOIN)", "check"),
    ("int x; F(if (IN) x = 1;) MAIN(RUN JOIN assert(x == 0 || x == 1);)", ""),
    (
        "int x = 3, n; F(int v = x; if (n > 7) x = v + 4;) MAIN(n = IN; RUN int v = x; JOIN assert(v == 3 || (v == 7 && n > 7));)",
        "",
    ),
    ("int x; F(x = 1; x = 2;) MAIN(RUN int a = x; int b = x; JOIN assert(a <= b && x == 2);)", ""),
    (
        "int a_[3]; F(int i = IN & 1; a_[i] = 5;) MAIN(RUN int v = a_[2]; int w = a_[IN & 1]; JOIN assert(v == 0 && (w == 0 || w == 5));)",
        "",
    ),
    ("int x; F(x = 7;) MAIN(RUN int v = x; __VERIFIER_assume(v == 7); assert(x == 7); JOIN)", ""),
    ("int x; F(__VERIFIER_assume(x == 1);) MAIN(RUN x = 1; JOIN assert(x == 1);)", ""),
    ("int x, y; F(x = 1; __VERIFIER_assume(0); y = 1;) MAIN(RUN int v = y; assert(v == 0); JOIN)", ""),
    (
        "int b_[4], n; F(b_[n & 3] = 5;) MAIN(n = IN; RUN int j = IN & 3; int v = b_[j]; JOIN assert(v == 0 || (n & 3) == j);)",
        "",
    ),
    // Ends of threads.
    ("int x; F(x = 1;) MAIN(int go = IN; RUN if (go) { JOIN assert(x == 1); })", ""),
    ("int x; F(x = 1;) MAIN(RUN JOIN assert(x == 1);)", ""),
    ("M m = PTHREAD_MUTEX_INITIALIZER; int x; F(L(m); L(m); x = 1;) MAIN(RUN JOIN assert(0);)", "deadlock"),
    // Mutexes as sections, and as words.
    ("M m = PTHREAD_MUTEX_INITIALIZER; int x; F(L(m); x++; U(m);) MAIN(RUN L(m); x++; U(m); JOIN assert(x == 2);)", ""),
    ("M m = PTHREAD_MUTEX_INITIALIZER; F(L(m);) MAIN(RUN L(m); U(m); JOIN)", "deadlock"),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; int x; F(L(m); x = 1;) MAIN(RUN L(m); int v = x; assert(v == 0); U(m);)",
        "deadlock",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; F(L(n); L(m); U(m); U(n);) MAIN(RUN L(m); L(n); U(n); U(m); JOIN)",
        "deadlock",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; int x; F(if (!pthread_mutex_trylock(&m)) { x++; U(m); }) MAIN(RUN L(m); x++; U(m); JOIN assert(x == 1 || x == 2);)",
        "",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; int x; F(if (!pthread_mutex_trylock(&m)) { x++; U(m); }) MAIN(RUN JOIN assert(x == 1);)",
        "",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; int x; F(L(m); x++; U(m);) MAIN(RUN if (!pthread_mutex_trylock(&m)) { int v = x; x = v + 1; assert(x == v + 1); U(m); } JOIN)",
        "",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; F(if (pthread_mutex_trylock(&m)) return 0;) MAIN(RUN JOIN L(m); U(m);)",
        "deadlock",
    ),
    (
        "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x; F(pthread_rwlock_rdlock(&l); int v = x; assert(v == x); pthread_rwlock_unlock(&l);)\
      MAIN(RUN pthread_rwlock_wrlock(&l); x++; x++; pthread_rwlock_unlock(&l); JOIN)",
        "",
    ),
    // Semaphores.
    ("sem_t s; int x; F(x = 1; sem_post(&s);) MAIN(sem_init(&s, 0, 0); RUN sem_wait(&s); assert(x == 1); JOIN)", ""),
    ("sem_t s; F(sem_post(&s);) MAIN(sem_init(&s, 0, 0); RUN sem_wait(&s); sem_wait(&s); JOIN)", "deadlock"),
    (
        "sem_t s; int x; F(sem_wait(&s); x++; sem_post(&s);) MAIN(sem_init(&s, 0, 1); RUN sem_wait(&s); x++; sem_post(&s); JOIN assert(x == 2);)",
        "",
    ),
    ("sem_t s; int x; F(if (IN) sem_post(&s);) MAIN(sem_init(&s, 0, 0); RUN sem_wait(&s); JOIN)", "deadlock"),
    ("sem_t s; F(sem_wait(&s);) MAIN(sem_init(&s, 0, 1); RUN JOIN sem_post(&s); sem_wait(&s);)", ""),
    (
        "sem_t s; int x; F(if (!sem_trywait(&s)) { x++; sem_post(&s); }) MAIN(sem_init(&s, 0, 1); RUN sem_wait(&s); int v = x; x = v + 1; assert(x == v + 1); sem_post(&s); JOIN)",
        "",
    ),
    // Barriers.
    (
        "pthread_barrier_t b; int x; F(x = 1; pthread_barrier_wait(&b);) MAIN(pthread_barrier_init(&b, 0, 2); RUN pthread_barrier_wait(&b); assert(x == 1); JOIN)",
        "",
    ),
    (
        "pthread_barrier_t b; F(pthread_barrier_wait(&b);) MAIN(pthread_barrier_init(&b, 0, 3); RUN pthread_barrier_wait(&b); JOIN)",
        "deadlock",
    ),
    (
        "pthread_barrier_t b; int x; F(pthread_barrier_wait(&b); x = 1; pthread_barrier_wait(&b);)\
      MAIN(pthread_barrier_init(&b, 0, 2); RUN assert(x == 0); pthread_barrier_wait(&b); pthread_barrier_wait(&b); assert(x == 1); JOIN)",
        "",
    ),
    (
        "pthread_barrier_t b; F(pthread_barrier_wait(&b);) MAIN(pthread_barrier_init(&b, 0, 2); RUN T u; pthread_create(&u, 0, f, 0); JOIN pthread_join(u, 0);)",
        "",
    ),
    (
        "pthread_barrier_t b; F(if (IN) pthread_barrier_wait(&b);) MAIN(pthread_barrier_init(&b, 0, 2); RUN pthread_barrier_wait(&b); JOIN)",
        "deadlock",
    ),
    // Condition variables.
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int done; F(L(m); pthread_cond_signal(&c); done = 1; U(m);)\
      MAIN(RUN L(m); if (done) { pthread_cond_wait(&c, &m); assert(0); } U(m); JOIN)",
        "deadlock",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int go; F(L(m); go = 1; pthread_cond_signal(&c); U(m);)\
      MAIN(RUN L(m); while (!go) pthread_cond_wait(&c, &m); assert(go); U(m); JOIN)",
        "",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; F(L(m); pthread_cond_signal(&c); U(m);)\
      MAIN(RUN L(m); pthread_cond_wait(&c, &m); U(m); JOIN)",
        "deadlock",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x; F(L(m); x = 1; pthread_cond_signal(&c); U(m); return 0;)\
      MAIN(L(m); RUN pthread_cond_wait(&c, &m); assert(x == 1); U(m); JOIN)",
        "",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int n; F(L(m); n++; pthread_cond_wait(&c, &m); U(m);)\
      MAIN(RUN T u; pthread_create(&u, 0, f, 0); L(m); int v = n; U(m); __VERIFIER_assume(v == 2); L(m); pthread_cond_signal(&c); U(m); JOIN pthread_join(u, 0);)",
        "deadlock",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int n; F(L(m); n++; pthread_cond_wait(&c, &m); U(m);)\
      MAIN(RUN T u; pthread_create(&u, 0, f, 0); L(m); int v = n; U(m); __VERIFIER_assume(v == 2); L(m); pthread_cond_signal(&c); pthread_cond_signal(&c); U(m); JOIN pthread_join(u, 0);)",
        "",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; F(L(m); pthread_cond_signal(&c); U(m);)\
      MAIN(L(m); RUN pthread_cond_wait(&c, &m); pthread_cond_wait(&c, &m); U(m); JOIN)",
        "deadlock",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int woken; F(L(m); pthread_cond_wait(&c, &m); woken++; U(m);)\
      MAIN(RUN L(m); pthread_cond_signal(&c); U(m); L(m); int v = woken; U(m); if (v) JOIN)",
        "",
    ),
    (
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int n, w; F(L(m); n++; pthread_cond_wait(&c, &m); w++; U(m);)\
      MAIN(RUN T u; pthread_create(&u, 0, f, 0); L(m); int v = n; U(m); __VERIFIER_assume(v == 2); L(m); pthread_cond_signal(&c); U(m); L(m); v = w; U(m); assert(v < 2);)",
        "",
    ),
];

/// The same, where data races are asked for.
const RACES: &[(&str, &str)] = &[
    ("int x; F(__sync_bool_compare_and_swap(&x, 5, 6);) MAIN(RUN int v = x; JOIN)", ""),
    ("int x; F(x = 1;) MAIN(RUN x = 2; JOIN)", "race"),
    ("int x; F(if (IN > 5) x = 1;) MAIN(RUN JOIN x = 2;)", ""),
    ("int x; F(int v = x;) MAIN(RUN int w = x; JOIN)", ""),
    ("int b_[4]; F(b_[IN & 1] = 1;) MAIN(RUN b_[2 + (IN & 1)] = 2; JOIN)", ""),
    ("int b_[4], n; F(b_[n & 3] = 1;) MAIN(n = IN; RUN b_[(n + 1) & 3] = 2; JOIN)", ""),
    ("int x, y; F(if (y) x = 1;) MAIN(RUN JOIN y = 1; x = 2;)", ""),
    ("int x; atomic_int z; F(x = 1; z = 1;) MAIN(RUN if (z) x = 2; JOIN)", ""),
    ("int x; atomic_int z; F(if (!z) x = 1;) MAIN(RUN z = 1; x = 2; JOIN)", "race"),
    ("int x; M m = PTHREAD_MUTEX_INITIALIZER; F(L(m); x = 1; U(m);) MAIN(RUN L(m); x = 2; U(m); JOIN)", ""),
    ("int x; sem_t s; F(x = 1; sem_post(&s);) MAIN(sem_init(&s, 0, 0); RUN sem_wait(&s); x = 2; JOIN)", ""),
    ("int x, n; F(if (n > 3) x = 1;) MAIN(n = IN; RUN if (n < 3) x = 2; JOIN)", ""),
];

/// What is wrong with a program, in a word.
fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe => String::new(),
        Verdict::Possible(conjecture) => match conjecture.wrong {
            Wrong::Condition(..) => "check".to_owned(),
            Wrong::Deadlock => "deadlock".to_owned(),
            Wrong::Race(..) => "race".to_owned(),
        },
        other => format!("{other:?}"),
    }
}

/// Families that make the search shorter or the counterexample an order that can be followed, and decide nothing alone: the guards of what is behind
/// an assumption contain it; and where a third write lies between two accesses that race, one of the two can be moved.
const NOT_ALONE: [Family; 2] = [Family::Assume, Family::RaceBetween];

#[test]
fn every_family_of_clauses_is_needed() {
    let mut unnoticed: BTreeSet<usize> = (0..Family::ALL.len()).collect();
    let mut wrong: Vec<String> = Vec::new();
    let all = PROGRAMS.iter().map(|program| (program, false)).chain(RACES.iter().map(|program| (program, true)));
    for ((body, expected), races) in all {
        let Some(module) = read(&format!("{HEAD}{body}").replace("COMMA", ",")) else { return };
        let module = module.unwrap_or_else(|error| panic!("{body}: {error}"));
        let question = Question { races, unwind: 4, ..Question::default() };
        let asked = |without| {
            let answer = with_stack(|| ask(&module, &Question { without, ..question.clone() }));
            answer.map_or_else(|refusal| format!("{refusal:?}"), |answer| word(&answer.verdict))
        };
        let found = asked(None);
        if found != *expected {
            wrong.push(format!("{found}, not {expected}: {body}"));
        }
        unnoticed.retain(|index| asked(Some(Family::ALL[*index])) == *expected);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let unnoticed: Vec<Family> = unnoticed.into_iter().map(|index| Family::ALL[index]).collect();
    let unnoticed: Vec<Family> = unnoticed.into_iter().filter(|family| !NOT_ALONE.contains(family)).collect();
    assert!(unnoticed.is_empty(), "without these nothing changes: {unnoticed:?}");
}
