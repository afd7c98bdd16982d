// The worker signals a completion on the stack of the waiter while it holds its lock.
#include <pthread.h>

struct completion {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done;
};

static void *work(void *argument)
{
    struct completion *completion = argument;
    pthread_mutex_lock(&completion->lock);
    completion->done = 1;
    pthread_cond_signal(&completion->changed);
    pthread_mutex_unlock(&completion->lock);
    return NULL;
}

static void request(void)
{
    struct completion completion = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, work, &completion);
    pthread_detach(thread);
    pthread_mutex_lock(&completion.lock);
    while (!completion.done)
        pthread_cond_wait(&completion.changed, &completion.lock);
    pthread_mutex_unlock(&completion.lock);
}

int main(void)
{
    request();
    return 0;
}
