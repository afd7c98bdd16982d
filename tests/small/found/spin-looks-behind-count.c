// A loop that counts its looks, and examines the last one no more: that it finds something there, and the loop ends all the same, is found.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int kept;

static void *looks(void *unused)
{
    for (int i = 0;;) {
        int found = atomic_load(&x);
        if (++i == 5) {
            kept = found;
            break;
        }
        if (found) {
            kept = 7;
            break;
        }
    }
    return unused;
}

static void *writes(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, looks, 0);
    pthread_create(&other, 0, writes, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(kept != 1);
    return 0;
}
