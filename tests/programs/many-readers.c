// Many threads read one table, byte by byte and word by word, and write bytes that lie next to those of others; nothing orders them among
// themselves. When they have ended, main writes what they have read, and the next ones come.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <pthread.h>
#include <string.h>

#define READERS 12
#define ROUNDS 6
#define SIZE 4096

static union {
    unsigned char bytes[SIZE];
    unsigned short halves[SIZE / 2];
    unsigned words[SIZE / 4];
} table;
// A byte for each, in the same eight bytes as those of others.
static unsigned char own[READERS];

static void *reader(void *number)
{
    unsigned sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += table.bytes[i];
    for (int i = 0; i < SIZE / 2; i++)
        sum += table.halves[i];
    for (int i = 0; i < SIZE / 4; i++)
        sum += table.words[i];
    own[(long)number] = (unsigned char)sum;
    return NULL;
}

int main(void)
{
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[READERS];
        memset(table.bytes, round, SIZE);
        for (long i = 0; i < READERS; i++)
            pthread_create(&threads[i], NULL, reader, (void *)i);
        for (int i = 0; i < READERS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < READERS; i++)
            sum += own[i];
    }
    return sum != 0;
}
