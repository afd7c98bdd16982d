// The same element by different names.
//
// heddle: kind = data-race
#include <pthread.h>

int a[4];
int *middle = &a[2];

static void *one(void *unused)
{
    a[2]++;
    return unused;
}

static void *two(void *unused)
{
    middle[0]++;
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
