// What rates are measured on: three threads that lock and unlock one mutex four times each. With the beginning and
// the end of every thread, and of the process, that is some 35 visible operations.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *work(void *unused)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
