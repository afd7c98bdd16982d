// Two members of a union.
//
// heddle: kind = data-race
#include <pthread.h>

union {
    int whole;
    char parts[4];
} u;

static void *one(void *unused)
{
    u.whole = 1;
    return unused;
}

static void *two(void *unused)
{
    u.parts[3] = 1;
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
