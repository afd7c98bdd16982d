// C11 thread-specific storage.
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static tss_t key;
static int a, b;

static int work(void *unused)
{
    (void)unused;
    tss_set(key, &a);
    thrd_yield();
    assert(tss_get(key) == &a);
    return 0;
}

int main(void)
{
    thrd_t thread;
    tss_create(&key, NULL);
    tss_set(key, &b);
    thrd_create(&thread, work, NULL);
    assert(tss_get(key) == &b);
    thrd_join(thread, NULL);
    return 0;
}
