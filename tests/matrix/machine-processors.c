// All ways to ask for processors give one answer, and it is more than one.
//
// heddle: verdict = safe
// heddle: executions = 1
#define _GNU_SOURCE
#include <assert.h>
#include <sched.h>
#include <unistd.h>

int main(void)
{
    cpu_set_t by_process, by_thread;
    assert(sched_getaffinity(getpid(), sizeof by_process, &by_process) == 0);
    assert(sched_getaffinity(0, sizeof by_thread, &by_thread) == 0);
    assert(CPU_COUNT(&by_process) == sysconf(_SC_NPROCESSORS_ONLN));
    assert(CPU_COUNT(&by_thread) == CPU_COUNT(&by_process) && CPU_COUNT(&by_thread) > 1);
    return 0;
}
