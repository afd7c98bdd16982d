// Settings of the process are as they were when an execution begins, whatever the one before it did. A thread's name is its own.
//
// heddle: verdict = safe
// heddle: executions = 2
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void *work(void *name)
{
    char now[16];
    prctl(PR_SET_NAME, name, 0, 0, 0);
    pthread_mutex_lock(&lock);
    if (first++ == 0) {
        struct rlimit limit;
        getrlimit(RLIMIT_CORE, &limit);
        assert(limit.rlim_cur != 4096);
        limit.rlim_cur = 4096;
        if (limit.rlim_max >= 4096)
            assert(setrlimit(RLIMIT_CORE, &limit) == 0);
    }
    pthread_mutex_unlock(&lock);
    prctl(PR_GET_NAME, now, 0, 0, 0);
    assert(strcmp(now, name) == 0);
    assert(mlockall(MCL_CURRENT) == 0 && munlockall() == 0);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, "one");
    pthread_create(&two, NULL, work, "two");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
