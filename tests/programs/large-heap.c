// A hundred megabytes on the heap, some of them touched by each of two threads, and all of it back for the next execution.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define BLOCKS 100
#define SIZE (1 << 20)

static char *blocks[BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int touched;

static void *work(void *which)
{
    int count = 0;
    for (int i = which != NULL; i < BLOCKS; i += 2)
        for (int at = 0; at < SIZE; at += 1 << 16) {
            assert(blocks[i][at] == 0);
            blocks[i][at] = 1;
            count++;
        }
    pthread_mutex_lock(&lock);
    touched += count;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < BLOCKS; i++)
        assert((blocks[i] = calloc(1, SIZE)) != NULL);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, blocks);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(touched == BLOCKS * (SIZE >> 16));
    return 0;
}
