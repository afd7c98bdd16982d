// A lock-free stack of nodes in an array. A pop that is interrupted between reading the top's successor and exchanging the
// top puts back a successor that others have taken meanwhile, if the top is the same again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3

static atomic_int top, next[NODES + 1], owner[NODES + 1];

static int pop(void)
{
    for (int tries = 0; tries < 2; tries++) {
        int first = top;
        if (first == 0)
            return 0;
        int second = next[first];
        if (atomic_compare_exchange_strong(&top, &first, second))
            return first;
    }
    return 0;
}

static void push(int node)
{
    for (int tries = 0; tries < 2; tries++) {
        int first = top;
        next[node] = first;
        if (atomic_compare_exchange_strong(&top, &first, node))
            return;
    }
}

static void *once(void *unused)
{
    int node = pop();
    if (node)
        assert(owner[node]++ == 0);
    return unused;
}

static void *again(void *unused)
{
    int one = pop();
    int two = pop();
    if (two)
        assert(owner[two]++ == 0);
    if (one)
        push(one);
    int three = pop();
    if (three)
        assert(owner[three]++ == 0);
    int four = pop();
    if (four)
        assert(owner[four]++ == 0);
    return unused;
}

int main(void)
{
    for (int i = 1; i < NODES; i++)
        next[i] = i + 1;
    top = 1;
    pthread_t one, two;
    pthread_create(&one, NULL, once, NULL);
    pthread_create(&two, NULL, again, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
