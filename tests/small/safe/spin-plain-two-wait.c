// Two threads wait for plain memory, one after the other: whoever runs first, all of them end.
//
// heddle: flags = --hang-timeout 500ms --races ignore
#include <pthread.h>

static int first, second;

static void *one(void *unused)
{
    while (!first) __asm__ volatile("" ::: "memory");
    second = 1;
    return unused;
}

static void *two(void *unused)
{
    while (!second) __asm__ volatile("" ::: "memory");
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    first = 1;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
