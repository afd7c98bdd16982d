// A loop that counts its looks. What a compare-exchange in its last round has found is used behind it.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int kept;

static void *looks(void *unused)
{
    int found = 0;
    for (int i = 0; i < 4; i++) {
        found = atomic_load(&x);
        if (found > 0 && atomic_compare_exchange_strong(&x, &found, 0))
            return 0;
    }
    kept = found;
    return unused;
}

static void *writes(void *unused)
{
    atomic_store(&x, 1);
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
    assert(kept != 2);
    return 0;
}
