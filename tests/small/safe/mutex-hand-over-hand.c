// Locks taken hand over hand along a chain.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t chain[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int visits[3];

static void *walk(void *unused)
{
    pthread_mutex_lock(&chain[0]);
    for (int i = 0; i < 3; i++) {
        visits[i]++;
        if (i < 2)
            pthread_mutex_lock(&chain[i + 1]);
        pthread_mutex_unlock(&chain[i]);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, walk, NULL);
    pthread_create(&threads[1], NULL, walk, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(visits[2] == 2);
    return 0;
}
