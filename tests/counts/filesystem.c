// N threads allocate a block each for an inode each, a mutex for each inode and for each block (Flanagan and Godefroid
// 2005). Up to 13 threads nobody collides.
#include <pthread.h>

#ifndef N
#define N 14
#endif
#define BLOCKS 26
#define INODES 32

static pthread_mutex_t inode_locks[INODES], block_locks[BLOCKS];
static int inodes[INODES], busy[BLOCKS];

static void *allocate(void *argument)
{
    int i = (int)(long)argument % INODES;
    pthread_mutex_lock(&inode_locks[i]);
    if (inodes[i] == 0) {
        int b = (i * 2) % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_locks[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inodes[i] = b + 1;
                pthread_mutex_unlock(&block_locks[b]);
                break;
            }
            pthread_mutex_unlock(&block_locks[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_locks[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_locks[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_locks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, allocate, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
