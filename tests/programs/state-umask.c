// `umask` says what the mask was before.
//
// heddle: verdict = found
// heddle: kind = assertion
// heddle: executions = 2
// heddle: count = 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/stat.h>

static mode_t before;

static void *work(void *unused)
{
    umask(022);
    return unused;
}

int main(void)
{
    pthread_t thread;
    umask(0);
    pthread_create(&thread, NULL, work, NULL);
    before = umask(077);
    pthread_join(thread, NULL);
    assert(before != 022); // heddle: here
    return 0;
}
