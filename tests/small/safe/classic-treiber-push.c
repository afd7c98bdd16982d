// A lock-free stack to which two push.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    struct node *next;
};

static struct node nodes[2];
static _Atomic(struct node *) top;
static atomic_int used;

static void *push(void *unused)
{
    struct node *mine = &nodes[used++], *old = top;
    do
        mine->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, mine));
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, push, NULL);
    pthread_create(&threads[1], NULL, push, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    struct node *first = top;
    assert(first && first->next && !first->next->next);
    return 0;
}
