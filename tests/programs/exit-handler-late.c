// While an exit handler waits, a thread registers another: it runs as well, or the list was at its end before.
//
// heddle: verdict = found
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ran;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void late(void)
{
    assert(!atomic_load(&ran)); // heddle: here
}

static void early(void)
{
    atomic_store(&ran, 1);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    atexit(late);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(early);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
