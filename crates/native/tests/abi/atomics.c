/* Every atomic operation in every width: the values, alone, and that nothing is lost between real threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(c) \
    do { \
        if (!(c)) { \
            failures++; \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #c); \
        } \
    } while (0)

/* Not known when compiling: some compilers make a switch over all orders of it. */
static volatile int any_order = memory_order_seq_cst;

#define WIDTH(T, name, big) \
    static void name(void) { \
        static _Atomic T v; \
        static T raw; \
        const T b = (T)(big); \
        T e; \
        atomic_init(&v, (T)1); \
        CHECK(atomic_load(&v) == 1); \
        atomic_store(&v, b); \
        CHECK(atomic_load_explicit(&v, memory_order_acquire) == b); \
        CHECK(atomic_load_explicit(&v, memory_order_relaxed) == b); \
        CHECK(atomic_exchange(&v, (T)5) == b); \
        CHECK(atomic_fetch_add(&v, (T)3) == 5); \
        CHECK(atomic_fetch_sub(&v, (T)1) == 8); \
        CHECK(atomic_fetch_or(&v, (T)8) == 7); \
        CHECK(atomic_fetch_xor(&v, (T)1) == 15); \
        CHECK(atomic_fetch_and_explicit(&v, (T)6, memory_order_relaxed) == 14); \
        CHECK(atomic_load(&v) == 6); \
        e = (T)1; \
        CHECK(!atomic_compare_exchange_strong(&v, &e, b)); \
        CHECK(e == 6); \
        CHECK(atomic_compare_exchange_strong(&v, &e, b)); \
        CHECK(e == 6 && atomic_load(&v) == b); \
        e = (T)0; \
        CHECK(!atomic_compare_exchange_weak_explicit(&v, &e, (T)9, memory_order_acq_rel, memory_order_relaxed)); \
        CHECK(e == b); \
        while (!atomic_compare_exchange_weak(&v, &e, (T)9)) {} \
        CHECK(v == 9); \
        v++; \
        v += b; \
        v -= (T)1; \
        v |= (T)0; \
        CHECK(v == (T)(b + 9)); \
        v = b; \
        CHECK(atomic_exchange_explicit(&v, (T)2, any_order) == b); \
        CHECK(atomic_fetch_add_explicit(&v, (T)2, any_order) == 2); \
        atomic_store_explicit(&v, (T)7, any_order); \
        CHECK(atomic_load_explicit(&v, any_order) == 7); \
        e = (T)7; \
        CHECK(atomic_compare_exchange_strong_explicit(&v, &e, b, any_order, memory_order_relaxed)); \
        raw = (T)6; \
        CHECK(__atomic_fetch_nand(&raw, (T)2, __ATOMIC_SEQ_CST) == 6); \
        CHECK(__atomic_load_n(&raw, __ATOMIC_SEQ_CST) == (T)~(T)2); \
        __atomic_store_n(&raw, (T)12, __ATOMIC_RELEASE); \
        CHECK(__atomic_add_fetch(&raw, (T)4, __ATOMIC_SEQ_CST) == 16); \
        CHECK(__atomic_sub_fetch(&raw, (T)1, __ATOMIC_ACQUIRE) == 15); \
        CHECK(__atomic_and_fetch(&raw, (T)12, __ATOMIC_SEQ_CST) == 12); \
        CHECK(__atomic_or_fetch(&raw, (T)1, __ATOMIC_SEQ_CST) == 13); \
        CHECK(__atomic_xor_fetch(&raw, (T)3, __ATOMIC_SEQ_CST) == 14); \
        CHECK(__atomic_nand_fetch(&raw, (T)6, __ATOMIC_SEQ_CST) == (T)~(T)6); \
        raw = b; \
        CHECK(!__sync_bool_compare_and_swap(&raw, (T)3, (T)1)); \
        CHECK(__sync_bool_compare_and_swap(&raw, b, (T)1)); \
        CHECK(__sync_val_compare_and_swap(&raw, (T)1, b) == 1); \
        CHECK(__sync_fetch_and_add(&raw, (T)1) == b); \
        CHECK(__sync_sub_and_fetch(&raw, (T)1) == b); \
        CHECK(__sync_lock_test_and_set(&raw, (T)1) == b); \
        __sync_lock_release(&raw); \
        CHECK(raw == 0); \
    } \
    static _Atomic T name##_shared; \
    static void *name##_count(void *unused) { \
        for (int i = 0; i < 20000; i++) { \
            atomic_fetch_add(&name##_shared, (T)1); \
            T e = atomic_load(&name##_shared); \
            while (!atomic_compare_exchange_weak(&name##_shared, &e, (T)(e + 2))) {} \
            atomic_fetch_sub(&name##_shared, (T)1); \
        } \
        return unused; \
    }

WIDTH(uint8_t, width_8, 0xa5)
WIDTH(uint16_t, width_16, 0xa5b6)
WIDTH(uint32_t, width_32, 0xa5b6c7d8)
WIDTH(uint64_t, width_64, 0xa5b6c7d8e9fa0b1cULL)
#ifdef WITH_128
typedef unsigned __int128 uint128;
WIDTH(uint128, width_128, ((uint128)0x1122334455667788ULL << 64) | 0x99aabbccddeeff00ULL)
#endif

typedef struct { char a[3]; } Three;
typedef struct { int a, b; } Eight;
typedef struct { long a, b, c; } Big;
static _Atomic Three three;
static _Atomic Eight eight;
static _Atomic Big big, counted;

static void *big_count(void *unused) {
    for (int i = 0; i < 5000; i++) {
        Big old = atomic_load(&counted), new;
        do {
            if (old.a != old.b || old.b != old.c) atomic_store(&counted, ((Big){-1000000, 0, 0}));
            new = (Big){old.a + 1, old.b + 1, old.c + 1};
        } while (!atomic_compare_exchange_strong(&counted, &old, new));
    }
    return unused;
}

static void structures(void) {
    Big x = {1, 2, 3}, y, n = {4, 5, 6};
    atomic_store(&big, x);
    y = atomic_load(&big);
    CHECK(y.a == 1 && y.b == 2 && y.c == 3);
    CHECK(!atomic_compare_exchange_strong(&big, &n, x) && n.a == 1 && n.c == 3);
    n = (Big){4, 5, 6};
    CHECK(atomic_compare_exchange_strong(&big, &y, n));
    y = atomic_exchange(&big, x);
    CHECK(y.a == 4 && y.c == 6);
    Three t = {{1, 2, 3}}, u;
    atomic_store(&three, t);
    u = atomic_load(&three);
    CHECK(u.a[0] == 1 && u.a[2] == 3);
    Eight e = {7, 8}, f = {0, 0};
    atomic_store(&eight, e);
    CHECK(!atomic_compare_exchange_strong(&eight, &f, e) && f.a == 7 && f.b == 8);
    CHECK(atomic_compare_exchange_strong(&eight, &f, ((Eight){1, 2})));
    e = eight;
    CHECK(e.a == 1 && e.b == 2);
    CHECK(!atomic_is_lock_free(&big));
    CHECK(atomic_is_lock_free(&eight));
}

static void others(void) {
    static _Atomic double d;
    static _Atomic float f;
    static _Atomic(char *) p;
    static _Atomic bool b;
    static char array[8];
    atomic_flag flag = ATOMIC_FLAG_INIT;
    d = 1.5;
    d += 2.0;
    CHECK(d == 3.5);
    f = 1.0f;
    f *= 4.0f;
    CHECK(f == 4.0f);
    p = array;
    CHECK(p++ == array && atomic_fetch_add(&p, 2) == array + 1 && p == array + 3);
    CHECK(!atomic_exchange(&b, true) && b);
    CHECK(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
    atomic_flag_clear_explicit(&flag, memory_order_release);
    CHECK(!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
    atomic_thread_fence(memory_order_seq_cst);
    atomic_thread_fence(any_order);
    atomic_signal_fence(memory_order_acq_rel);
    __sync_synchronize();
    /* As functions: the macros are only for speed. */
    CHECK((atomic_flag_test_and_set)(&flag));
    (atomic_flag_clear)(&flag);
    CHECK(!(atomic_flag_test_and_set_explicit)(&flag, memory_order_relaxed));
    (atomic_thread_fence)(memory_order_acquire);
    (atomic_signal_fence)(memory_order_acquire);
}

static void together(void *(*work)(void *)) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}

int main(void) {
#define RUN(T, name) \
    name(); \
    together(name##_count); \
    CHECK(name##_shared == (T)(3 * 20000 * 2));
    RUN(uint8_t, width_8)
    RUN(uint16_t, width_16)
    RUN(uint32_t, width_32)
    RUN(uint64_t, width_64)
#ifdef WITH_128
    RUN(uint128, width_128)
#endif
    structures();
    together(big_count);
    Big all = counted;
    CHECK(all.a == 15000 && all.b == 15000 && all.c == 15000);
    others();
    printf("%d failures\n", failures);
    return failures != 0;
}
