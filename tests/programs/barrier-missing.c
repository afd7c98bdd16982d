// A barrier for three where only two arrive.
//
// heddle: verdict = found
// heddle: kind = deadlock
// heddle: executions = 1
// heddle: count = 1
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *unused)
{
    pthread_barrier_wait(&barrier); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
