// The main thread leaves with pthread_exit, and the other goes on.
#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *unused)
{
    x++;
    assert(x == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_exit(NULL);
}
