// All ways to ask for the processors give one answer: two.
// heddle: verdict = safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static long early;

__attribute__((constructor)) static void before_main(void)
{
    early = sysconf(_SC_NPROCESSORS_ONLN);
}

int main(void)
{
    cpu_set_t set;
    unsigned long raw[16] = {0};
    unsigned processor = 9, node = 9;
    assert(early == 2);
    assert(sysconf(_SC_NPROCESSORS_ONLN) == 2 && sysconf(_SC_NPROCESSORS_CONF) == 2);
    assert(get_nprocs() == 2 && get_nprocs_conf() == 2);
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 2);
    assert(sched_getaffinity(getpid(), sizeof set, &set) == 0 && CPU_COUNT(&set) == 2);
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_COUNT(&set) == 2);
    assert(syscall(SYS_sched_getaffinity, 0, sizeof raw, raw) == 8 && raw[0] == 3);
    assert(sched_getcpu() == 0);
    assert(getcpu(&processor, &node) == 0 && processor == 0 && node == 0);
    processor = 9;
    assert(syscall(SYS_getcpu, &processor, 0, 0) == 0 && processor == 0);
    return 0;
}
