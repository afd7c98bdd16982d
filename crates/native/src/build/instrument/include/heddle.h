/* What a program can say to Heddle.
 *
 * Found by `#include <heddle.h>` whenever Heddle compiles. Without Heddle every call does nothing (heddle_assert is assert),
 * so the same source can be built for both: copy this file beside it.
 *
 * unsigned heddle_choose(unsigned n)   any number below n (1 to 65535): every one of them is explored. Without Heddle: 0.
 * int heddle_range(int low, int high)  any number from low to high, both included; at most 65535 of them. Without Heddle: low.
 * void heddle_assume(int condition)    executions in which this does not hold are none: they are counted, and never a finding.
 * heddle_assert(condition)             as assert, but not switched off by NDEBUG under Heddle.
 * heddle_reachable("label")            some execution must get here. The label is a string literal.
 * void heddle_atomic_begin(void)       until heddle_atomic_end, no other thread runs. Sections nest. To wait inside (for a lock
 * void heddle_atomic_end(void)         that somebody holds, ...) is an error, and reported.
 * void heddle_wakeup(void *object, p)  those that wait for this mutex, semaphore or reader-writer lock get it, and those that sleep
 *                                      on this condition variable are woken by signals, in the order p: HEDDLE_ARBITRARY (any,
 *                                      the default), HEDDLE_FIFO, HEDDLE_LIFO. To be said before other threads use the object.
 *
 * void heddle_progress(void)           the program gets on: an execution that does this again and again is no livelock.
 * void heddle_prop(const char *name, int value)
 *                                      whether a proposition holds from now on, for `heddle check --ltl FORMULA`. In the
 *                                      beginning none does. An operation of its own; nothing without --ltl.
 *
 * int heddle_do(primitive, state, n)   takes operation n of a primitive of your own: waits until its `enabled` says yes to the state, and
 *                                      lets its `effect` change the state, in one step. Returns what `effect` returned. The functions
 *                                      look at the state and at nothing else; no `enabled`: always possible. At most 256 bytes of state,
 *                                      and 64 operations on one object in an execution. Without Heddle: a spin lock around both.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

struct heddle_operation {
    const char *name;
    int (*enabled)(const void *state);
    int (*effect)(void *state);
};

struct heddle_primitive {
    const char *name;
    unsigned long size; /* of the state, in bytes */
    unsigned count;     /* how many operations there are */
    const struct heddle_operation *operations;
};

enum heddle_wakeup_policy { HEDDLE_ARBITRARY, HEDDLE_FIFO, HEDDLE_LIFO };

#ifdef __HEDDLE__

#ifdef __cplusplus
extern "C" {
#endif
unsigned heddle_choose(unsigned n);
int heddle_range(int low, int high);
void heddle_assume(int condition);
void heddle_atomic_begin(void);
void heddle_atomic_end(void);
void heddle_failed(const char *condition) __attribute__((noreturn));
void heddle_reached(const char *label);
void heddle_progress(void);
void heddle_prop(const char *name, int value);
int heddle_do(const struct heddle_primitive *primitive, void *state, unsigned n);
void heddle_wakeup(void *object, enum heddle_wakeup_policy policy);
#ifdef __cplusplus
}
#endif

#define heddle_assert(condition) ((condition) ? (void)0 : heddle_failed(#condition))

#define HEDDLE_TEXT_OF(x) #x
#define HEDDLE_TEXT(x) HEDDLE_TEXT_OF(x)
#ifdef __cplusplus
/* In inline functions and templates a variable cannot be put into a section of its own. */
#define heddle_reachable(label)                                                                                      \
    do {                                                                                                             \
        __asm__(".pushsection heddle_labels,\"\",@progbits\n\t.asciz \"" label "\"\n\t.asciz \"" __FILE__              \
                ":" HEDDLE_TEXT(__LINE__) "\"\n\t.popsection");                                                       \
        heddle_reached(label);                                                                                       \
    } while (0)
#else
#define heddle_reachable(label)                                                                                      \
    do {                                                                                                             \
        static const char heddle_label[] __attribute__((section("heddle_labels"), used)) =                           \
            label "\0" __FILE__ ":" HEDDLE_TEXT(__LINE__);                                                            \
        heddle_reached(label);                                                                                       \
    } while (0)
#endif

#else /* without Heddle */

#include <assert.h>

static inline unsigned heddle_choose(unsigned n) { (void)n; return 0; }
static inline int heddle_range(int low, int high) { (void)high; return low; }
static inline void heddle_assume(int condition) { (void)condition; }
static inline void heddle_atomic_begin(void) {}
static inline void heddle_atomic_end(void) {}
static inline void heddle_progress(void) {}
static inline void heddle_prop(const char *name, int value) { (void)name; (void)value; }
static inline void heddle_wakeup(void *object, enum heddle_wakeup_policy policy) { (void)object; (void)policy; }
__attribute__((weak)) char heddle_one_at_a_time;
static inline int heddle_do(const struct heddle_primitive *primitive, void *state, unsigned n) {
    const struct heddle_operation *operation = &primitive->operations[n];
    for (;;) {
        while (__atomic_test_and_set(&heddle_one_at_a_time, __ATOMIC_ACQUIRE)) {}
        int possible = !operation->enabled || operation->enabled(state);
        int result = possible ? operation->effect(state) : 0;
        __atomic_clear(&heddle_one_at_a_time, __ATOMIC_RELEASE);
        if (possible) return result;
    }
}
#define heddle_assert(condition) assert(condition)
#define heddle_reachable(label) ((void)sizeof(label))

#endif
#endif
