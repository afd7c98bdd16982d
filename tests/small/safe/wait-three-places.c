// A thread waits until all of three flags are set.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flags[3];

static void *set(void *flag)
{
    atomic_store((atomic_int *)flag, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, set, &flags[i]);
    for (;;) {
        int first = atomic_load(&flags[0]), second = atomic_load(&flags[1]), third = atomic_load(&flags[2]);
        if (first && second && third)
            break;
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
