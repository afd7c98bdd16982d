// A function returns while a detached thread is about to store to its variable; then `main` returns, too. The store may come at any time
// before the process has ended, when nothing of the function is left.
//
// heddle: kind = memory
#include <pthread.h>
#include <stdatomic.h>

static void *later(void *cell)
{
    atomic_store((atomic_int *)cell, 1);
    return NULL;
}

static void begin(void)
{
    atomic_int cell = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, later, &cell);
    pthread_detach(thread);
}

int main(void)
{
    begin();
    return 0;
}
