// A setting of the process that `prctl` keeps.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <sys/prctl.h>

static void *set(void *unused)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int value = 0;
    pthread_create(&thread, NULL, set, NULL);
    prctl(PR_GET_CHILD_SUBREAPER, &value);
    assert(value == 0);
    pthread_join(thread, NULL);
}
