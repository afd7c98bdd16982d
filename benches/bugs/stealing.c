// A work-stealing queue without locks: its owner takes at the tail, thieves at the head. The owner looks at the head before it moves
// the tail instead of after that. If thieves take two items in between, the owner takes the second of them once more. K is how many
// items come.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 3
#endif

static atomic_int head, tail, taken[K + 1];
static atomic_int items[K + 1];

static void use(int item)
{
    assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void push(int item)
{
    int last = tail;
    items[last % (K + 1)] = item;
    tail = last + 1;
}

static int pop(void)
{
    int last = tail - 1;
    // Should be the other way round.
    int first = head;
    tail = last;
    if (first > last) {
        tail = first;
        return -1;
    }
    int item = items[last % (K + 1)];
    if (first < last)
        return item;
    // The last one: thieves may want it, too.
    int expected = first;
    int won = atomic_compare_exchange_strong(&head, &expected, first + 1);
    tail = first + 1;
    return won ? item : -1;
}

static int steal(void)
{
    int first = head;
    if (first >= tail)
        return -1;
    int item = items[first % (K + 1)];
    int expected = first;
    return atomic_compare_exchange_strong(&head, &expected, first + 1) ? item : -1;
}

static void *thief(void *unused)
{
    for (int tries = 0; tries < 2; tries++) {
        int item = steal();
        if (item >= 0)
            use(item);
    }
    return unused;
}

int main(void)
{
    pthread_t thieves[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thieves[i], NULL, thief, NULL);
    for (int i = 0; i < K; i++)
        push(i);
    for (int i = 0; i < K; i++) {
        int item = pop();
        if (item >= 0)
            use(item);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(thieves[i], NULL);
    return 0;
}
