// Loads of sixteen bytes: clang makes them twice, the second time as a locked instruction. That is no assembly.
//
// heddle: verdict = safe
// heddle: flags = -mcx16 -latomic
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    long first, second;
};

static _Atomic struct pair pair;

static void *add(void *unused)
{
    struct pair old = atomic_load(&pair), new;
    do {
        new.first = old.first + 1;
        new.second = old.second + 1;
    } while (!atomic_compare_exchange_strong(&pair, &old, new));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    struct pair last = atomic_load(&pair);
    assert(last.first == 2 && last.second == 2);
    return 0;
}
