// Two threads and a lock, nothing wrong.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    return count == 2 ? 0 : 1;
}
