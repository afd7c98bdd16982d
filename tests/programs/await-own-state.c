// Loops that look at a place nobody writes, and end because of what libc or the kernel remembers for their thread: they do not wait for anybody.
//
// heddle: verdict = safe
// heddle: executions = 1
// heddle: flags = -lm
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/stat.h>
#include <threads.h>

static atomic_int never;
static pthread_key_t key;
static tss_t slot;

static void *work(void *unused)
{
    int old;
    while (!never && (long)pthread_getspecific(key) < 3)
        pthread_setspecific(key, (void *)((long)pthread_getspecific(key) + 1));
    while (!never && (long)tss_get(slot) < 3)
        tss_set(slot, (void *)((long)tss_get(slot) + 1));
    for (;;) {
        if (never)
            break;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        if (old == PTHREAD_CANCEL_DISABLE)
            break;
    }
    pthread_setconcurrency(0);
    for (;;) {
        if (never || pthread_getconcurrency() == 1)
            break;
        pthread_setconcurrency(1);
    }
    umask(0);
    for (;;) {
        if (never || umask(1) == 1)
            break;
    }
    for (;;) {
        if (never || fegetround() == FE_UPWARD)
            break;
        fesetround(FE_UPWARD);
    }
    fesetround(FE_TONEAREST);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, NULL);
    tss_create(&slot, NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    tss_delete(slot);
    pthread_key_delete(key);
    return 0;
}
