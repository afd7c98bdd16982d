// The wish for concurrency is the process's: a thread can tell whether another has set it.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static void *work(void *unused)
{
    pthread_setconcurrency(3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int level = pthread_getconcurrency();
    pthread_join(thread, NULL);
    assert(level != 3); // heddle: here
    return 0;
}
