// What is written after the creation may not be seen.
//
// heddle: kind = data-race
#include <assert.h>
#include <pthread.h>

int x;

static void *read_(void *unused)
{
    assert(x < 4);
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], NULL, read_, NULL);
    x = 3;
    pthread_join(threads[0], NULL);
    return 0;
}
