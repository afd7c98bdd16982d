// Double-checked locking with an atomic flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;
static int value;
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
    assert(value == 1);
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
