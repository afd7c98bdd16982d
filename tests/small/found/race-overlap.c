// A wide access over a narrow one.
//
// heddle: kind = data-race
#include <pthread.h>

long long wide;

static void *one(void *unused)
{
    wide = 1;
    return unused;
}

static void *two(void *unused)
{
    ((char *)&wide)[7] = 1;
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
