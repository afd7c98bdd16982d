// The lock of Mellor-Crummey and Scott: a queue of threads, each of which waits for its own place.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
struct node { _Atomic(struct node *) next; atomic_int locked; };
static _Atomic(struct node *) tail;
static struct node nodes[N];
static int count;
static void *add(void *argument)
{
    struct node *me = argument;
    atomic_store(&me->next, NULL);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&me->locked, 1);
        atomic_store(&before->next, me);
        while (atomic_load(&me->locked)) {
        }
    }
    count++;
    struct node *after = atomic_load(&me->next);
    if (!after) {
        struct node *expected = me;
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return NULL;
        while (!(after = atomic_load(&me->next))) {
        }
    }
    atomic_store(&after->locked, 0);
    return NULL;
}
int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, add, &nodes[i]);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    return count != N;
}
