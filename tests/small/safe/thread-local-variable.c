// Each thread has its own copy of a thread-local variable.
#include <assert.h>
#include <pthread.h>

static __thread int own = 5;

static void *work(void *unused)
{
    own++;
    assert(own == 6);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(own == 5);
    return 0;
}
