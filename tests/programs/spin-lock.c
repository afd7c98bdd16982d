// pthread_spin_lock and pthread_spin_trylock.
//
// heddle: verdict = safe
// heddle: executions = 4
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int count;

static void *add(void *unused)
{
    pthread_spin_lock(&lock);
    count++;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&threads[0], NULL, add, NULL);
    int error = pthread_spin_trylock(&lock);
    if (error == 0) {
        count++;
        pthread_spin_unlock(&lock);
    } else {
        assert(error == EBUSY);
    }
    pthread_create(&threads[1], NULL, add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(count == (error == 0 ? 3 : 2));
    pthread_spin_destroy(&lock);
    return 0;
}
