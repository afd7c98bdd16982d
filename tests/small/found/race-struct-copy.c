// A structure is copied while a member changes.
//
// heddle: kind = data-race
#include <pthread.h>

struct big {
    int a[8];
};

struct big x, y;

static void *one(void *unused)
{
    y = x;
    return unused;
}

static void *two(void *unused)
{
    x.a[7] = 1;
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
