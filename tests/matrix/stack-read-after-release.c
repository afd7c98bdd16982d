// The owner of a variable may leave as soon as it is told to, before the other thread reads the variable.
//
// heddle: verdict = found
// heddle: kind = data-race
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) handed_out;
static atomic_int done;
static int copied;

static void *own(void *unused)
{
    int local = 1;
    handed_out = &local;
    while (!done)
        ;
    return unused;
}

static void *use(void *unused)
{
    int *local;
    while (!(local = handed_out))
        ;
    done = 1;
    copied = *local;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, own, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return copied == 77;
}
