/* Plain accesses by two threads under a lock: nothing races. The argument is how many rounds, each of 64 reads and 64 writes
 * of eight bytes. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long cells[64];
static long rounds;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < 64; i++)
            cells[i] += round;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int count, char **arguments)
{
    rounds = count > 1 ? atol(arguments[1]) : 0;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
