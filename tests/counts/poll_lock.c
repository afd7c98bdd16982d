// Threads poll a flag under a mutex until it is set. A thread that has seen that it is not set waits: how often it looks in vain does not count.
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void *poll(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int seen = ready;
        pthread_mutex_unlock(&lock);
        if (seen)
            return unused;
    }
}
int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, poll, 0);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
