// The shape of a compressor with several threads: main hands out blocks, workers compress them, and a writer puts them out in order.
#include <assert.h>
#include <pthread.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int handed_out, taken, is_done, compressed[BLOCKS], written;

static void *worker(void *argument) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (taken == handed_out && !is_done) pthread_cond_wait(&changed, &lock);
        if (taken == handed_out) {
            pthread_mutex_unlock(&lock);
            return argument;
        }
        int block = taken++;
        pthread_mutex_unlock(&lock);
        int result = block + 1;
        pthread_mutex_lock(&lock);
        compressed[block] = result;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
}

static void *writer(void *argument) {
    for (int block = 0; block < BLOCKS; block++) {
        pthread_mutex_lock(&lock);
        while (!compressed[block]) pthread_cond_wait(&changed, &lock);
        assert(compressed[block] == block + 1 && written == block);
        written++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t workers[WORKERS], last;
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], 0, worker, 0);
    pthread_create(&last, 0, writer, 0);
    for (int block = 0; block < BLOCKS; block++) {
        pthread_mutex_lock(&lock);
        handed_out++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], 0);
    pthread_join(last, 0);
    assert(written == BLOCKS);
}
