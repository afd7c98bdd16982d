// A condition variable may be freed once its waiters are woken, a barrier once all have arrived, though the waiters
// have not returned yet.
//
// heddle: verdict = safe
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *changed;
static int ready;

static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    changed = malloc(sizeof *changed);
    pthread_cond_init(changed, NULL);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(changed);
    pthread_cond_destroy(changed);
    free(changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
