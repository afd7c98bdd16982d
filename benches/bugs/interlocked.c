// A work-stealing queue without locks. A thief moves the head first and looks at the tail then; if there was nothing it moves
// the head back. That is wrong if meanwhile the owner has put items in and another thief has taken one of them: the head then
// goes back over an item that is taken, and somebody takes it again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 2 // how often each thief tries
#endif
#define FIRST (2 * K - 2) // items that are there
#define MORE (2 * K)      // items that come
#define THIEVES 3

static atomic_int head, tail = FIRST, taken[FIRST + MORE];

static void use(int item)
{
    assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *put(void *unused)
{
    // The place of an item is that of the tail.
    for (int i = 0; i < MORE; i++)
        atomic_fetch_add(&tail, 1);
    return unused;
}

static void *steal(void *unused)
{
    for (int tries = 0; tries < K; tries++) {
        int first = atomic_fetch_add(&head, 1);
        if (first < tail)
            use(first);
        else
            atomic_fetch_sub(&head, 1);
    }
    return unused;
}

int main(void)
{
    pthread_t owner, thieves[THIEVES];
    pthread_create(&owner, NULL, put, NULL);
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&thieves[i], NULL, steal, NULL);
    pthread_join(owner, NULL);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thieves[i], NULL);
    return 0;
}
