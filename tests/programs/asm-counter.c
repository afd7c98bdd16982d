// The same with a counter.
//
// heddle: verdict = incomplete
// heddle: exhaustive = no
#include <pthread.h>

static long count;

static void *add(void *unused)
{
    __asm__ volatile("lock; incq %0" : "+m"(count));
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
