//! Programs in which something goes wrong, each in a way that an engine could overlook: no engine calls one of them safe.
//!
//! That the same programs fail when they run was seen once for each; here nothing is run.

use std::time::{Duration, Instant};

use heddle_symbolic::prove::{Conclusion, Question};

use crate::common::{Engine, HEAD, read};

/// What a program is about, and its text.
const BAD: &[(&str, &str)] = &[
    ("union", "union { float f; unsigned u; } x; MAIN(x.f = 1.0f; assert(x.u == 0);)"),
    ("bytes of a union", "union { int i; char c[4]; } u; F(u.c[1] = 1;) MAIN(RUN u.i = 0; JOIN assert(u.i == 0);)"),
    ("bit-field", "struct { unsigned a : 3, b : 5; int c : 4; } s; MAIN(s.c = IN; s.a = 7; assert(s.c >= 0);)"),
    (
        "bit-fields beside each other",
        "struct { unsigned a : 4, b : 4; } s; F(s.a = 5;) MAIN(RUN s.b = 3; JOIN assert(s.a == 5 && s.b == 3);)",
    ),
    ("pointer before an array", "int a[4]; MAIN(int n = IN; if (n >= 0 && n < 5) { int *p = a + 4; p -= n; *p = 1; })"),
    ("field behind a field", "struct { int x[2]; int y; } s; MAIN(int *p = s.x; p[2] = 5; assert(s.y == 0);)"),
    ("narrow", "MAIN(int n = IN; char c = n; assert(c == n);)"),
    (
        "part of a number",
        "MAIN(long x = 0x1122334455667788, y = 0; memcpy((char *)&y + 1, (char *)&x + 2, 3); assert(y == 0);)",
    ),
    (
        "copied struct",
        "struct S { int a, b; } s; F(struct S z = {1 COMMA 1}; s = z;) MAIN(RUN struct S y = s; assert(y.a == y.b); JOIN)",
    ),
    (
        "varargs",
        "#include <stdarg.h>\nint sum(int n, ...) { va_list l; va_start(l, n); int s = va_arg(l, int); va_end(l); return s; } MAIN(assert(sum(1, IN) != 7);)",
    ),
    (
        "function pointer",
        "int g(void) { return 1; } int h(void) { return 2; } int (*p)(void) = g; F(p = h;) MAIN(RUN assert(p() == 1); JOIN)",
    ),
    (
        "recursion",
        "int r(unsigned n) { return n ? 1 + r(n - 1) : 0; } MAIN(unsigned n = __VERIFIER_nondet_uint(); if (n <= 12) assert(r(n) < 12);)",
    ),
    ("float", "MAIN(float x = 0.1f, y = 0.2f; assert(x + y == 0.3);)"),
    ("float of an input", "MAIN(int n = IN; float x = n; assert((int)x == n);)"),
    ("not a number", "MAIN(double z = 0.0, y = z / z; assert(y == y);)"),
    ("float that is no integer", "MAIN(volatile double d = 1e20; int x = (int)d; assert(x >= 0);)"),
    ("volatile", "volatile int x; F(x = 1;) MAIN(RUN int a = x, b = x; assert(a == b); JOIN)"),
    (
        "static local",
        "int next(void) { static int n; return n++; } F(next();) MAIN(RUN next(); JOIN assert(next() == 2);)",
    ),
    ("cancel", "int x; F(x = 1; pthread_testcancel(); x = 2;) MAIN(RUN pthread_cancel(t); JOIN assert(x == 2);)"),
    (
        "cleanup",
        "int x; void h(void *a) { x = 1; } F(pthread_cleanup_push(h, 0); pthread_exit(0); pthread_cleanup_pop(0);) MAIN(RUN JOIN assert(x == 0);)",
    ),
    (
        "errno",
        "#include <errno.h>\nMAIN(sem_t s; sem_init(&s, 0, 0); errno = 0; int r = sem_trywait(&s); assert(r == 0 || errno != EAGAIN);)",
    ),
    ("shift of a sign", "MAIN(assert((IN >> 31) != -1);)"),
    (
        "shift by too much",
        "MAIN(unsigned n = __VERIFIER_nondet_uint(); volatile unsigned one = 1; if (n == 33) assert((one << n) == 0);)",
    ),
    ("no bit is set", "MAIN(unsigned n = __VERIFIER_nondet_uint(); if (!n) assert(__builtin_ctz(n) == 32);)"),
    ("atomic byte", "_Atomic unsigned char c; MAIN(for (int i = 0; i < 256; i++) c++; assert(c != 0);)"),
    (
        "atomic struct",
        "struct P { int a, b; }; _Atomic struct P p; F(struct P q = {1 COMMA 2}; atomic_store(&p, q);) MAIN(RUN struct P q = atomic_load(&p); JOIN assert(q.b == 0);)",
    ),
    ("thread-local", "_Thread_local int x = 5; int seen; F(x++; seen = x;) MAIN(x = 1; RUN JOIN assert(seen == 2);)"),
    (
        "setjmp",
        "#include <setjmp.h>\njmp_buf b; MAIN(volatile int n = 0; if (!setjmp(b)) { n = 1; longjmp(b, 1); } assert(n == 0);)",
    ),
    (
        "error-checking mutex",
        "MAIN(pthread_mutexattr_t a; M m; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&m, &a); L(m); assert(pthread_mutex_lock(&m) == 0);)",
    ),
    (
        "recursive mutex, given back once",
        "M m; F(L(m); L(m); U(m);) MAIN(pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a); RUN JOIN L(m); U(m);)",
    ),
    (
        "trylock",
        "M m = PTHREAD_MUTEX_INITIALIZER; F(L(m); U(m);) MAIN(RUN int r = pthread_mutex_trylock(&m); if (!r) U(m); JOIN assert(r == 0);)",
    ),
    (
        "trylock of one's own",
        "M m = PTHREAD_MUTEX_INITIALIZER; MAIN(L(m); assert(pthread_mutex_trylock(&m) == 0); U(m);)",
    ),
    (
        "timed wait",
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; MAIN(struct timespec ts = {0 COMMA 0}; L(m); int r = pthread_cond_timedwait(&c, &m, &ts); U(m); assert(r == 0);)",
    ),
    (
        "once",
        "pthread_once_t o = PTHREAD_ONCE_INIT; int x; void init(void) { x++; } F(pthread_once(&o, init);) MAIN(RUN pthread_once(&o, init); JOIN assert(x != 1);)",
    ),
    (
        "two readers",
        "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x; F(pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l);) MAIN(RUN pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l); JOIN assert(x == 2);)",
    ),
    (
        "reader that would write",
        "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; MAIN(pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l);)",
    ),
    ("free of the middle", "MAIN(char *p = malloc(4); free(p + 1);)"),
    ("free beside a use", "int *p; F(free(p);) MAIN(p = malloc(4); *p = 0; RUN int v = *p; JOIN return v * 0;)"),
    ("variable that has ended", "int *p; void g(void) { int x = 3; p = &x; } MAIN(g(); assert(*p == 4);)"),
    ("strings", "MAIN(char b[8]; strcpy(b, \"hello\"); strcat(b, \"abc\");)"),
    ("string without an end", "MAIN(char *p = malloc(2); p[0] = p[1] = 'a'; puts(p); free(p);)"),
    ("string that is printed", "MAIN(char *p = (char *)16; printf(\"%d %s\\n\", 3, p);)"),
    ("freed string", "MAIN(char *p = malloc(2); p[0] = p[1] = 0; free(p); fputs(p, stdout);)"),
    ("number of printed bytes", "MAIN(int n = 0; printf(\"abc%n\", &n); assert(n == 0);)"),
    ("product of sizes", "MAIN(char *p = calloc(1ul << 33, 1ul << 33); assert(p != 0);)"),
    ("division of the smallest", "MAIN(int n = IN; if (n) return (-2147483647 - 1) / n * 0;)"),
    ("remainder of a negative", "int a[8]; MAIN(a[IN % 8] = 1;)"),
    (
        "case that falls through",
        "MAIN(int x = 0; switch (IN) { case 1: x = 1; case 2: x += 2; break; default: x = 0; } assert(x != 3);)",
    ),
    ("computed jump", "MAIN(void *t[2] = {&&a COMMA &&b}; goto *t[IN & 1]; a: return 0; b: assert(0);)"),
    ("assembly", "MAIN(int x = 0; __asm__(\"movl $1, %0\" : \"=r\"(x)); assert(x == 0);)"),
    (
        "assembly outside of functions",
        "__asm__(\".globl k\\n.data\\nk: .long 5\\n.text\"); extern int k; MAIN(assert(k == 0);)",
    ),
    ("constructor", "int x; __attribute__((constructor)) void c(void) { x = 1; } MAIN(assert(x == 0);)"),
    ("destructor", "int x; __attribute__((destructor)) void c(void) { assert(x == 0); } MAIN(x = 1;)"),
    ("handler of the end", "int x; void h(void) { assert(x == 0); } MAIN(atexit(h); x = 1;)"),
    (
        "table of constructors",
        "int x; static void c(void) { x = 1; } __attribute__((section(\".init_array\"), used)) static void (*p)(void) = c; MAIN(assert(x == 0);)",
    ),
    ("weak and missing", "extern int g(void) __attribute__((weak)); MAIN(assert(g != 0);)"),
    ("defined elsewhere", "extern int optind; MAIN(assert(optind == 0);)"),
    ("unreachable", "MAIN(if (IN == 3) __builtin_unreachable();)"),
    ("large stack", "MAIN(char b[64 << 20]; volatile char *p = b; p[0] = 1;)"),
    ("pause", "#include <unistd.h>\nMAIN(pause();)"),
    (
        "signal",
        "#include <signal.h>\nint x; void h(int s) { x = 1; } MAIN(signal(SIGUSR1, h); raise(SIGUSR1); assert(x == 0);)",
    ),
    ("main that ends first", "int x; F(assert(x == 0);) int main(void) { RUN x = 1; pthread_exit(0); }"),
    ("exit of a thread", "F(exit(1);) MAIN(RUN JOIN)"),
    ("thread that nobody waits for", "F(assert(0);) MAIN(RUN)"),
    ("input of a thread that nobody waits for", "F(if (IN == 3) assert(0);) MAIN(RUN)"),
    ("loop without an end", "atomic_int go; F(while (!go);) MAIN(RUN JOIN)"),
    (
        "several widths",
        "unsigned x; F(*(unsigned char *)&x = 0xff;) MAIN(RUN *(unsigned short *)&x = 0x100; JOIN assert(x != 0x1ff);)",
    ),
    ("constant that is written", "const int k = 3; MAIN(*(int *)&k = 4;)"),
    (
        "number that is an address",
        "MAIN(long x = 5; unsigned long k = (unsigned long)&x ^ 0x55; assert(*(long *)(k ^ 0x55) != 5);)",
    ),
    (
        "128 bits",
        "MAIN(unsigned long n = (unsigned)IN; __int128 x = (__int128)n * n * n; assert((unsigned long)(x >> 64) != 5);)",
    ),
];

/// What the model of the primitives says, and formulas do not: engine `order` says that it was not looked for.
const MISUSED: &[(&str, &str)] = &[
    ("unlock by another", "M m = PTHREAD_MUTEX_INITIALIZER; F(U(m);) MAIN(L(m); RUN JOIN)"),
    ("unlock of what is free", "M m = PTHREAD_MUTEX_INITIALIZER; MAIN(if (IN) L(m); U(m);)"),
    ("destroyed while locked", "M m = PTHREAD_MUTEX_INITIALIZER; MAIN(L(m); pthread_mutex_destroy(&m);)"),
    (
        "destroyed beside a use",
        "M m = PTHREAD_MUTEX_INITIALIZER; F(L(m); U(m);) MAIN(RUN pthread_mutex_destroy(&m); JOIN)",
    ),
    ("used after its end", "M m = PTHREAD_MUTEX_INITIALIZER; MAIN(L(m); U(m); pthread_mutex_destroy(&m); L(m); U(m);)"),
    ("initialised twice", "M m; MAIN(pthread_mutex_init(&m, 0); L(m); pthread_mutex_init(&m, 0); U(m);)"),
    ("initialised late", "sem_t s; F(sem_post(&s);) MAIN(RUN sem_init(&s, 0, 0); sem_wait(&s); JOIN)"),
    (
        "wait without the mutex",
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; MAIN(pthread_cond_wait(&c, &m);)",
    ),
    ("joined twice", "F() MAIN(RUN JOIN JOIN)"),
    ("joined and detached", "F() MAIN(RUN pthread_detach(t); JOIN)"),
    ("too many posts", "sem_t s; MAIN(sem_init(&s, 0, 2147483647); sem_post(&s);)"),
    ("barrier of nobody", "pthread_barrier_t b; MAIN(pthread_barrier_init(&b, 0, 0);)"),
];

/// Whether an engine calls a program safe, and whether it says that misuse was not looked for.
fn is_safe(body: &str, engine: Engine) -> Option<(bool, bool)> {
    let text = format!("{HEAD}{body}").replace("COMMA", ",");
    let module = read(&text)?.unwrap_or_else(|error| panic!("{body}: {error}"));
    let question =
        Question { exits: true, deadline: Some(Instant::now() + Duration::from_secs(2)), ..Question::default() };
    Some(match engine.asked(&module, &question) {
        Ok((Conclusion::Safe(_) | Conclusion::Within(..), answer)) => (true, answer.misuse.is_some()),
        _ => (false, false),
    })
}

#[test]
fn nothing_that_fails_is_safe() {
    let mut wrong = Vec::new();
    for (what, body) in BAD {
        for engine in [Engine::Order, Engine::Traces] {
            let Some((safe, _)) = is_safe(body, engine) else { return };
            if safe {
                wrong.push(format!("{what}: {engine:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "safe, they say: {wrong:#?}");
}

#[test]
fn misuse_is_found_or_named() {
    let mut wrong = Vec::new();
    for (what, body) in MISUSED {
        for engine in [Engine::Order, Engine::Traces] {
            let Some((safe, open)) = is_safe(body, engine) else { return };
            if safe && !open {
                wrong.push(format!("{what}: {engine:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "safe, they say: {wrong:#?}");
}

/// Ordinary programs need nobody who looks at each operation.
#[test]
fn ordinary_use_is_no_misuse() {
    let ordinary = [
        "M m = PTHREAD_MUTEX_INITIALIZER; F(L(m); U(m);) MAIN(RUN L(m); U(m); JOIN pthread_mutex_destroy(&m);)",
        "M m; F(L(m); U(m);) MAIN(pthread_mutex_init(&m, 0); RUN JOIN pthread_mutex_destroy(&m);)",
        "sem_t s; F(sem_post(&s);) MAIN(sem_init(&s, 0, 0); RUN sem_wait(&s); JOIN sem_destroy(&s);)",
        "M m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int go; F(L(m); go = 1; pthread_cond_signal(&c); U(m);)\
         MAIN(RUN L(m); while (!go) pthread_cond_wait(&c, &m); U(m); JOIN)",
    ];
    for body in ordinary {
        let Some(found) = is_safe(body, Engine::Order) else { return };
        assert_eq!(found, (true, false), "{body}");
    }
}
