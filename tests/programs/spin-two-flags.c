// A loop that reads two places until both are set; they are set in either order.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int one, two;

static void *set_one(void *unused)
{
    atomic_store(&one, 1);
    return unused;
}

static void *set_two(void *unused)
{
    atomic_store(&two, 1);
    return unused;
}

static void *wait_for_both(void *unused)
{
    int a, b;
    do {
        a = atomic_load(&one);
        b = atomic_load(&two);
    } while (!a || !b);
    return unused;
}

int main(void)
{
    pthread_t x, y, z;
    pthread_create(&x, NULL, set_one, NULL);
    pthread_create(&y, NULL, set_two, NULL);
    pthread_create(&z, NULL, wait_for_both, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    pthread_join(z, NULL);
    return 0;
}
