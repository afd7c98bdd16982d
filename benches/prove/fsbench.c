// N threads give blocks to the files of a small file system: a file and a block have locks of their own.
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 3
#endif
#define FILES 4
#define BLOCKS 3
pthread_mutex_t file_lock[FILES], block_lock[BLOCKS];
int block_of[FILES], busy[BLOCKS], id[N];
void *give(void *argument) {
    int file = *(int *)argument % FILES;
    pthread_mutex_lock(&file_lock[file]);
    if (block_of[file] == 0) {
        int block = file * 2 % BLOCKS;
        for (int tries = 0; tries < BLOCKS; tries++) {
            pthread_mutex_lock(&block_lock[block]);
            if (!busy[block]) {
                busy[block] = 1;
                block_of[file] = block + 1;
                assert(busy[block_of[file] - 1] == 1);
                pthread_mutex_unlock(&block_lock[block]);
                break;
            }
            pthread_mutex_unlock(&block_lock[block]);
            block = (block + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&file_lock[file]);
    return argument;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < FILES; i++)
        pthread_mutex_init(&file_lock[i], 0);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_lock[i], 0);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], 0, give, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
}
