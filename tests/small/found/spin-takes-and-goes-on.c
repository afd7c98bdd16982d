// A loop that counts its looks, and goes on when it has taken something: how often it has looked before decides how much it takes.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int kept;

static void *looks(void *unused)
{
    for (int i = 0; i < 5; i++) {
        int found = atomic_load(&x);
        if (found > 0)
            atomic_compare_exchange_strong(&x, &found, found - 1);
    }
    return unused;
}

static void *writes(void *unused)
{
    atomic_store(&x, 2);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, looks, 0);
    pthread_create(&other, 0, writes, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(atomic_load(&x) != 1);
    return 0;
}
