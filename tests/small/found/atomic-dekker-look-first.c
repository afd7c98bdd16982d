// Looks before it says what it wants.
//
// heddle: kind = data-race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
int n;

static void *one(void *unused)
{
    if (!wants[1]) {
        wants[0] = 1;
        n++;
    }
    return unused;
}

static void *two(void *unused)
{
    if (!wants[0]) {
        wants[1] = 1;
        n++;
    }
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
