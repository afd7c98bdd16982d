// A compressor in blocks, after the structure of bzip2smp: threads take the next block, compress it, and write it when all before it
// were written. That a block is done is said without the lock.
//
// heddle: verdict = found
// heddle: kind = data-race
// heddle: more = yes
#include <assert.h>
#include <pthread.h>
#include <string.h>

#define THREADS 2
#define BLOCKS 2
#define SIZE 4

static const char input[BLOCKS * SIZE + 1] = "aaaabbbb";
static char output[BLOCKS * SIZE];
static int length;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int next_block, next_written;

struct block {
    char bytes[2];
    int size;
    int done;
};
static struct block blocks[BLOCKS];

/* Runs of one character: how many, and which. */
static int compress(const char *from, char *into)
{
    int run = 0;
    while (run < SIZE && from[run] == from[0])
        run++;
    into[0] = (char)('0' + run);
    into[1] = from[0];
    return 2;
}

/* Called with the lock: whatever is next and done. */
static void write_what_is_due(void)
{
    while (next_written < BLOCKS && blocks[next_written].done) {
        struct block *block = &blocks[next_written++];
        memcpy(output + length, block->bytes, (size_t)block->size);
        length += block->size;
    }
}

static void *work(void *unused)
{
    for (;;) {
        int number;
        struct block *block;
        pthread_mutex_lock(&lock);
        number = next_block < BLOCKS ? next_block++ : -1;
        pthread_mutex_unlock(&lock);
        if (number < 0)
            return unused;
        block = &blocks[number];
        block->size = compress(input + number * SIZE, block->bytes);
#ifndef FIXED
        block->done = 1;
#endif
        pthread_mutex_lock(&lock);
        block->done = 1;
        write_what_is_due();
        if (next_written == BLOCKS)
            pthread_cond_signal(&turn);
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (next_written < BLOCKS)
        pthread_cond_wait(&turn, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(length == 4 && memcmp(output, "4a4b", 4) == 0);
    return 0;
}
