// A reader that does not look again.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence, a, b;

static void *write_(void *unused)
{
    sequence++;
    a = 1;
    b = 1;
    sequence++;
    return unused;
}

static void *read_(void *unused)
{
    int before = sequence;
    int first = a, second = b;
    if (before % 2 == 0)
        assert(first == second);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, write_, NULL);
    pthread_create(&threads[1], NULL, read_, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
