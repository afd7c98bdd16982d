// A mutex and what it protects on main's stack, used by threads.
//
// heddle: verdict = safe
// heddle: executions = 6
#include <assert.h>
#include <pthread.h>

struct shared {
    pthread_mutex_t lock;
    int value;
};

static void *work(void *argument)
{
    struct shared *shared = argument;
    pthread_mutex_lock(&shared->lock);
    shared->value++;
    pthread_mutex_unlock(&shared->lock);
    return NULL;
}

int main(void)
{
    struct shared shared = {PTHREAD_MUTEX_INITIALIZER, 0};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &shared);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(shared.value == 3);
    pthread_mutex_destroy(&shared.lock);
    return 0;
}
