// Readers are preferred: two of them can keep the writer out for ever.
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;
static void *reader(void *argument) {
    for (;;) {
        pthread_rwlock_rdlock(&lock);
        (void)*(volatile int *)&data;
        pthread_rwlock_unlock(&lock);
    }
    return argument;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, reader, 0);
    for (;;) {
        pthread_rwlock_wrlock(&lock);
        data = 1 - data;
        pthread_rwlock_unlock(&lock);
    }
}
