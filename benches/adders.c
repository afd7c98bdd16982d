/* N threads that add under one lock, ROUNDS times each. PAGES pages were written to before. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 4
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef PAGES
#define PAGES 1
#endif
static volatile char pages[PAGES][4096];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        sum++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}
int main(void) {
    for (int i = 0; i < PAGES; i++) pages[i][i % 4096] = 1;
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(sum == N * ROUNDS);
}
