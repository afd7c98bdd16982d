// A loop that does not end, cut off as asked.
//
// heddle: flags = --max-steps 50
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *count(void *unused)
{
    for (;;)
        x++;
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
