// Copied by memcpy while it changes.
//
// heddle: kind = data-race
#include <pthread.h>
#include <string.h>

char from[32], to[32];

static void *one(void *unused)
{
    memcpy(to, from, 32);
    return unused;
}

static void *two(void *unused)
{
    from[31] = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
