// N threads download parts of a file and add up what they have; another saves the state. With -DBAD it reads the sum without the lock, twice.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif
extern unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned written, part[N];
int id[N];
void *download(void *argument) {
    int i = *(int *)argument;
    unsigned got = __VERIFIER_nondet_uint() % 1000;
    pthread_mutex_lock(&lock);
    part[i] += got;
    written += got;
    pthread_mutex_unlock(&lock);
    return argument;
}
void *save(void *argument) {
#ifndef BAD
    pthread_mutex_lock(&lock);
#endif
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum += part[i];
    assert(sum == written);
#ifndef BAD
    pthread_mutex_unlock(&lock);
#endif
    return argument;
}
int main(void) {
    pthread_t t[N], saver;
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], 0, download, &id[i]);
    }
    pthread_create(&saver, 0, save, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    pthread_join(saver, 0);
}
