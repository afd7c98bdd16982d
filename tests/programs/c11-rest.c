// The rest of C11's threads: detach, sleep, yield, broadcast, keys that are given back.
//
// heddle: verdict = safe
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static int ready;
static tss_t key;

static int works(void *unused)
{
    (void)unused;
    thrd_yield();
    mtx_lock(&lock);
    ready = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t thread;
    struct timespec moment = {0, 1000};
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    assert(tss_create(&key, NULL) == thrd_success);
    assert(tss_set(key, &lock) == thrd_success);
    assert(tss_get(key) == &lock);
    tss_delete(key);
    thrd_create(&thread, works, NULL);
    assert(thrd_detach(thread) == thrd_success);
    assert(thrd_sleep(&moment, NULL) == 0);
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    return 0;
}
