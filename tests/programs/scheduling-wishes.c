// Wishes about scheduling are accepted and can be asked for again. They change no order. There are two processors.
//
// heddle: verdict = safe
// heddle: executions = 1
// heddle: flags = -Wno-deprecated-declarations
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

int main(void)
{
    struct sched_param parameters = {0};
    int policy;
    cpu_set_t processors;
    assert(sched_getaffinity(0, sizeof processors, &processors) == 0);
    assert(CPU_COUNT(&processors) == 2);
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    assert(pthread_setschedparam(pthread_self(), SCHED_RR, &parameters) == 0);
    assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
    assert(policy == SCHED_RR && parameters.sched_priority == 0);
    assert(pthread_setaffinity_np(pthread_self(), sizeof processors, &processors) == 0);
    assert(sched_setaffinity(0, sizeof processors, &processors) == 0);
    assert(sched_getaffinity(0, sizeof processors, &processors) == 0);
    assert(CPU_COUNT(&processors) == 1 && CPU_ISSET(0, &processors));
    assert(sched_setscheduler(0, SCHED_FIFO, &parameters) == 0);
    assert(sched_getscheduler(0) == SCHED_FIFO);
    assert(sched_setparam(0, &parameters) == 0);
    assert(sched_getparam(0, &parameters) == 0);
    assert(sched_yield() == 0);
    assert(pthread_yield() == 0);
    return 0;
}
