// N workers take blocks from a list, and write them in the order of the blocks: each waits for its turn.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif
#define BLOCKS 2
extern unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t take = PTHREAD_MUTEX_INITIALIZER, write = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t written = PTHREAD_COND_INITIALIZER;
unsigned block[BLOCKS], output[BLOCKS];
int next, turn;
void *work(void *argument) {
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&take);
        int mine = next;
        if (mine < BLOCKS)
            next++;
        pthread_mutex_unlock(&take);
        if (mine >= BLOCKS)
            break;
        unsigned packed = block[mine] / 2;
        pthread_mutex_lock(&write);
        while (turn != mine)
            pthread_cond_wait(&written, &write);
        output[turn] = packed;
        turn++;
        pthread_cond_broadcast(&written);
        pthread_mutex_unlock(&write);
    }
    return argument;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < BLOCKS; i++)
        block[i] = __VERIFIER_nondet_uint();
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < BLOCKS; i++)
        assert(output[i] == block[i] / 2);
}
