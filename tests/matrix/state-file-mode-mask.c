// The mask of file modes belongs to the process: who sets it first decides what the other finds.
//
// heddle: verdict = found
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <sys/stat.h>

static void *set(void *unused)
{
    umask(022);
    return unused;
}

int main(void)
{
    pthread_t thread;
    umask(0);
    pthread_create(&thread, NULL, set, NULL);
    mode_t before = umask(077);
    pthread_join(thread, NULL);
    assert(before != 022); // heddle: here
    return 0;
}
