// Two threads look at a flag under a lock until it is set. Their unsuccessful looks wake nobody, or they would wake each other for ever.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, value;

static void *poll(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int seen = ready;
        pthread_mutex_unlock(&lock);
        if (seen)
            break;
    }
    assert(value == 7);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, poll, NULL);
    pthread_create(&other, NULL, poll, NULL);
    pthread_mutex_lock(&lock);
    value = 7;
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
