// Attributes of threads: what was asked for is what is found.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

static void *work(void *unused)
{
    pthread_attr_t attributes;
    void *low;
    size_t size, guard;
    int detached;
    char name[16];
    char here;
    clockid_t clock;
    cpu_set_t processors;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &low, &size) == 0);
    assert(size >= 256 * 1024);
    assert((char *)low < &here && &here < (char *)low + size);
    assert(pthread_attr_getguardsize(&attributes, &guard) == 0 && guard > 0);
    assert(pthread_attr_getdetachstate(&attributes, &detached) == 0);
    assert(detached == PTHREAD_CREATE_JOINABLE);
    pthread_attr_destroy(&attributes);
    assert(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    assert(pthread_getname_np(pthread_self(), name, 4) == ERANGE);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "worker") == 0);
    assert(pthread_getcpuclockid(pthread_self(), &clock) == 0);
    assert(pthread_getaffinity_np(pthread_self(), sizeof processors, &processors) == 0);
    assert(CPU_COUNT(&processors) == 2);
    assert(pthread_setschedprio(pthread_self(), 0) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
    assert(pthread_attr_setguardsize(&attributes, 8192) == 0);
    assert(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
    pthread_create(&thread, &attributes, work, NULL);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, NULL);
    return 0;
}
