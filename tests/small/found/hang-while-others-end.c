// A thread runs for ever, and the others come to their ends first: what they do wrong would be found.
//
// heddle: kind = assertion
// heddle: flags = --hang-timeout 500ms
#include <assert.h>
#include <pthread.h>

static void *run(void *unused)
{
    for (volatile int i = 0; i != 2;) i = !i;
    return unused;
}

static void *fail(void *unused)
{
    assert(unused != NULL);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, run, NULL);
    pthread_create(&threads[1], NULL, fail, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
