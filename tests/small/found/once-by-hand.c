// A flag in place of pthread_once.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

int done, value;

static void *use(void *unused)
{
    if (!done) {
        value = 5;
        done = 1;
    }
    assert(value == 5);
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
