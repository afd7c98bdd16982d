/* Small uses of Concurrency Kit: -DUSE=name chooses one. Its loads and stores are volatile accesses, which are data races by the letter of
 * C, so races are ignored and their orders explored. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include <ck_ring.h>
#include <ck_rwlock.h>
#include <ck_spinlock.h>
#include <ck_stack.h>

#define RING 1
#define STACK 2
#define FAS 3
#define TICKET 4
#define DEC 5
#define RWLOCK 6

static int counter;
static void prepare(void);
static void after(void);

#if USE == RING
static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int values[2], got;
static void prepare(void) { ck_ring_init(&ring, 4); }
static void *work(void *which)
{
    for (int i = 0; i < 2; i++) {
        void *value;
        if (which == NULL) {
            values[i] = i + 1;
            assert(ck_ring_enqueue_spsc(&ring, buffer, &values[i]));
        } else if (ck_ring_dequeue_spsc(&ring, buffer, &value)) {
            assert(*(int *)value == ++got);
        }
    }
    return NULL;
}
static void after(void) { assert(got <= 2); }
#elif USE == STACK
static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[2];
static ck_stack_entry_t *got[2];
static void prepare(void) {}
static void *work(void *which)
{
    ck_stack_push_upmc(&stack, &entries[which != NULL]);
    return NULL;
}
static void after(void)
{
    got[0] = ck_stack_pop_npsc(&stack);
    got[1] = ck_stack_pop_npsc(&stack);
    assert(got[0] != NULL && got[1] != NULL && got[0] != got[1] && ck_stack_pop_npsc(&stack) == NULL);
}
#elif USE == RWLOCK
static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
static void prepare(void) {}
static void *work(void *which)
{
    if (which == NULL) {
        ck_rwlock_write_lock(&lock);
        counter++;
        counter++;
        ck_rwlock_write_unlock(&lock);
    } else {
        ck_rwlock_read_lock(&lock);
        assert(counter % 2 == 0);
        ck_rwlock_read_unlock(&lock);
    }
    return NULL;
}
static void after(void) { assert(counter == 2); }
#else
#if USE == FAS
static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
#define LOCK ck_spinlock_fas_lock
#define UNLOCK ck_spinlock_fas_unlock
#elif USE == TICKET
static ck_spinlock_ticket_t lock = CK_SPINLOCK_TICKET_INITIALIZER;
#define LOCK ck_spinlock_ticket_lock
#define UNLOCK ck_spinlock_ticket_unlock
#else
static ck_spinlock_dec_t lock = CK_SPINLOCK_DEC_INITIALIZER;
#define LOCK ck_spinlock_dec_lock
#define UNLOCK ck_spinlock_dec_unlock
#endif
static void prepare(void) {}
static void *work(void *which)
{
    (void)which;
    LOCK(&lock);
    counter++;
    UNLOCK(&lock);
    return NULL;
}
static void after(void) { assert(counter == 2); }
#endif

int main(void)
{
    static char other;
    pthread_t threads[2];
    prepare();
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, &other);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    after();
    return 0;
}
