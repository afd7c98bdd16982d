// A work-stealing queue: its owner puts and takes at the tail without a lock, thieves take at the head under one. The
// owner decrements the tail after it has compared it with the head, so the last item can be taken twice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ITEMS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail, taken[ITEMS];
static int items[ITEMS];

static void use(int item)
{
    assert(taken[item]++ == 0);
}

static void push(int item)
{
    int last = tail;
    items[last] = item;
    tail = last + 1;
}

static void pop(void)
{
    int last = tail - 1;
    if (last > head) {
        tail = last;
        use(items[last]);
        return;
    }
    // Should be under the lock from here on.
    if (head <= last) {
        tail = last;
        use(items[last]);
    }
}

static void *steal(void *unused)
{
    pthread_mutex_lock(&lock);
    int first = head;
    if (first < tail) {
        head = first + 1;
        use(items[first]);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thieves[2];
    for (int i = 0; i < ITEMS; i++)
        push(i);
    for (int i = 0; i < 2; i++)
        pthread_create(&thieves[i], NULL, steal, NULL);
    pop();
    pop();
    for (int i = 0; i < 2; i++)
        pthread_join(thieves[i], NULL);
    return 0;
}
