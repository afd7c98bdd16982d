// A plain counter.
//
// heddle: kind = data-race
#include <pthread.h>

int n;

static void *add(void *unused)
{
    n++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
