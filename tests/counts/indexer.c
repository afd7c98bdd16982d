// N threads insert four messages each into a hash table of 128 slots with linear probing, one mutex for each slot
// (Flanagan and Godefroid 2005). Up to 11 threads nobody collides.
#include <pthread.h>

#ifndef N
#define N 12
#endif
#define SIZE 128
#define MESSAGES 4

static pthread_mutex_t locks[SIZE];
static int table[SIZE];

static int insert(int slot, int word)
{
    int free_slot = 0;
    pthread_mutex_lock(&locks[slot]);
    if (table[slot] == 0) {
        table[slot] = word;
        free_slot = 1;
    }
    pthread_mutex_unlock(&locks[slot]);
    return free_slot;
}

static void *indexer(void *argument)
{
    int tid = (int)(long)argument;
    for (int m = 1; m <= MESSAGES; m++) {
        int word = m * 11 + tid;
        int slot = (word * 7) % SIZE;
        while (!insert(slot, word))
            slot = (slot + 1) % SIZE;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, indexer, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
