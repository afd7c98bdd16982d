// A thread that binds itself to one processor is bound, and nobody else is.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int count(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    int by_function = CPU_COUNT(&set);
    CPU_ZERO(&set);
    syscall(SYS_sched_getaffinity, 0, sizeof set, &set);
    assert(CPU_COUNT(&set) == by_function);
    return by_function;
}

static void *bind(void *unused)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    assert(sched_setaffinity(0, sizeof set, &set) != 0);
    CPU_SET(1, &set);
    assert(sched_setaffinity(0, sizeof set, &set) == 0);
    assert(count() == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(count() > 1);
    pthread_create(&thread, NULL, bind, NULL);
    assert(count() > 1);
    pthread_join(thread, NULL);
    assert(count() > 1);
}
