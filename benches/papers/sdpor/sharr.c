// Two threads that write to elements of a shared array of their own, again and again, under one lock.
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 8
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int array[8];

static void *writer(void *argument) {
    int first = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = first; i < 8; i += 2) {
            pthread_mutex_lock(&lock);
            array[i] = round;
            pthread_mutex_unlock(&lock);
        }
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, writer, (void *)0);
    pthread_create(&two, 0, writer, (void *)1);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
