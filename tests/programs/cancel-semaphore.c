// Cancelled while it waits for a semaphore that nobody posts: the cleanup handler runs, and the join says how it ended.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t never;
static int cleaned;
static void clean(void *argument) { cleaned = *(int *)argument; }
static void *work(void *unused)
{
    int seven = 7;
    pthread_cleanup_push(clean, &seven);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return unused;
}
int main(void)
{
    pthread_t thread; void *value;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &value);
    assert(value == PTHREAD_CANCELED);
    assert(cleaned == 7);
    return 0;
}
