// One byte in the middle of a word that somebody else writes at once, and not at a multiple of its size.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stddef.h>
#include <string.h>

char bytes[32];

static void *one(void *unused)
{
    long word = 1;
    memcpy(bytes + 3, &word, sizeof word);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    bytes[10] = 1;
    pthread_join(thread, NULL);
    return 0;
}
