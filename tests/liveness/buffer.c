// A buffer with room for one, between two producers and two consumers, for ever.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;
static void tell(void) {
#ifdef BAD
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
}
static void *producer(void *argument) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (count == 1) pthread_cond_wait(&changed, &lock);
        count++;
        assert(count == 1);
        tell();
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
static void *consumer(void *argument) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (count == 0) pthread_cond_wait(&changed, &lock);
        count--;
        assert(count == 0);
        tell();
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    pthread_create(&threads[2], 0, producer, 0);
    consumer(0);
}
