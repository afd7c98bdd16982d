// C11 threads and a mutex.
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t m;
static int n;

static int work(void *unused)
{
    (void)unused;
    mtx_lock(&m);
    n++;
    mtx_unlock(&m);
    return 7;
}

int main(void)
{
    thrd_t one, two;
    int result;
    mtx_init(&m, mtx_plain);
    thrd_create(&one, work, NULL);
    thrd_create(&two, work, NULL);
    thrd_join(one, &result);
    thrd_join(two, NULL);
    assert(n == 2 && result == 7);
    return 0;
}
