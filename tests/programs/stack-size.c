// A stack size of the program's own choosing is respected: 32 MiB, of which more than the usual 8 are used.
//
// heddle: verdict = safe
// heddle: executions = 1
#include <assert.h>
#include <pthread.h>

static int descend(int depth)
{
    volatile char frame[1024];
    frame[0] = 1;
    return depth == 0 ? 0 : descend(depth - 1) + frame[0];
}

static void *work(void *unused)
{
    assert(descend(16000) == 16000);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, 32 << 20) == 0);
    assert(pthread_create(&thread, &attributes, work, NULL) == 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, NULL);
    return 0;
}
