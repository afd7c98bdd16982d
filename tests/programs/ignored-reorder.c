// Two writes without a lock, and a reader that must not see the second without the first: it does if it reads in between.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: flags = --races ignore -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int a, b;

static void *set(void *unused)
{
    a = 1;
    b = -1;
    return unused;
}

static void *check(void *unused)
{
    int x = a, y = b;
    assert((x == 0 && y == 0) || (x == 1 && y == -1)); // heddle: here
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, set, NULL);
    pthread_create(&two, NULL, check, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
