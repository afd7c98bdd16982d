// One thread takes a lock again and again until the other has had it: it waits for the other.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *wait(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&m);
        int over = done;
        pthread_mutex_unlock(&m);
        if (over)
            return unused;
    }
}

static void *set(void *unused)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
