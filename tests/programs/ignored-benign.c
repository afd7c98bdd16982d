// Races that can do no harm, explored and not reported: a reader before, between or after two writes.
//
// heddle: verdict = safe
// heddle: executions = 3
// heddle: flags = --races ignore -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int progress;

static void *work(void *unused)
{
    progress = 1;
    progress = 2;
    return unused;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    int seen = progress;
    assert(seen >= 0 && seen <= 2);
    pthread_join(worker, NULL);
    return 0;
}
