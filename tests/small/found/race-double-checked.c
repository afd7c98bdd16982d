// Double-checked locking with a plain flag.
//
// heddle: kind = data-race
#include <pthread.h>

int done, value;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *use(void *unused)
{
    if (!done) {
        pthread_mutex_lock(&m);
        if (!done) {
            value = 1;
            done = 1;
        }
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
