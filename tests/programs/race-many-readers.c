// One thread writes what many others read: more accesses are in force than a place of memory has room for at first, and the one
// that races is among the last of them.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <pthread.h>

#define READERS 12

static unsigned char table[64];
static int sum[READERS];

static void *reader(void *number)
{
    int own = (int)(long)number;
    for (int i = 0; i < 64; i++)
        // The last reader alone reads the last byte.
        if (i != 63 || own == READERS - 1)
            sum[own] += table[i];
    return NULL;
}

static void *writer(void *unused)
{
    table[63] = 1; // heddle: here
    return unused;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    for (long i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, (void *)i);
    pthread_create(&threads[READERS], NULL, writer, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
