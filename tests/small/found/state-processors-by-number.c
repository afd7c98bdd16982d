// A thread changes by number where another may run.
//
// heddle: kind = assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *work(void *unused)
{
    unsigned long first = 1;
    syscall(SYS_sched_setaffinity, getpid(), sizeof first, &first);
    return unused;
}

int main(void)
{
    pthread_t thread;
    cpu_set_t set;
    pthread_create(&thread, NULL, work, NULL);
    sched_getaffinity(0, sizeof set, &set);
    pthread_join(thread, NULL);
    assert(CPU_COUNT(&set) == 2);
    return 0;
}
