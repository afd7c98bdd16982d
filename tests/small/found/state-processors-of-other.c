// A thread is bound to one processor by another.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_t first;

static void *bind(void *unused)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    pthread_setaffinity_np(first, sizeof set, &set);
    return unused;
}

int main(void)
{
    pthread_t thread;
    cpu_set_t set;
    first = pthread_self();
    pthread_create(&thread, NULL, bind, NULL);
    pthread_getaffinity_np(first, sizeof set, &set);
    assert(CPU_COUNT(&set) > 1);
    pthread_join(thread, NULL);
}
