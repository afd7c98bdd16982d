// Three stations that pass a token on for ever.
#include <pthread.h>
#define N 3
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int token;
static void *station(void *argument) {
    int me = (int)(long)argument;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (token != me) pthread_cond_wait(&changed, &lock);
        token = (me + 1) % N;
#ifdef BAD
        pthread_cond_signal(&changed);
#else
        pthread_cond_broadcast(&changed);
#endif
        pthread_mutex_unlock(&lock);
    }
}
int main(void) {
    pthread_t threads[N];
    for (long i = 1; i < N; i++) pthread_create(&threads[i], 0, station, (void *)i);
    station((void *)0);
}
