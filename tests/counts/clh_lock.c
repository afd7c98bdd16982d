// The lock of Craig, Landin and Hagersten: a queue of threads, each of which waits for the place before its own.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
struct node { atomic_int locked; };
static struct node nodes[N + 1];
static _Atomic(struct node *) tail = &nodes[N];
static int count;
static void *add(void *argument)
{
    struct node *me = argument;
    atomic_store(&me->locked, 1);
    struct node *before = atomic_exchange(&tail, me);
    while (atomic_load(&before->locked)) {
    }
    count++;
    atomic_store(&me->locked, 0);
    return NULL;
}
int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, add, &nodes[i]);
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
    return count != N;
}
