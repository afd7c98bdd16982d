// A barrier for three and two who come.
//
// heddle: kind = deadlock
#include <pthread.h>

static pthread_barrier_t barrier;
static int x[2];

static void *come(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&threads[0], NULL, come, NULL);
    pthread_create(&threads[1], NULL, come, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
