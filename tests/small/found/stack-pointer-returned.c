// A function publishes the address of its variable and returns; its thread goes on, and another one uses the variable.
//
// heddle: kind = memory
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(atomic_int *) published;

__attribute__((noinline)) static void publish(void)
{
    atomic_int number = 1;
    atomic_store(&published, &number);
}

static void *use(void *unused)
{
    atomic_int *number = atomic_load(&published);
    (void)unused;
    if (number)
        atomic_fetch_add(number, 1); // heddle: here
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    publish();
    pthread_join(thread, NULL);
    return 0;
}
