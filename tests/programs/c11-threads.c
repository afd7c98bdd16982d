// C11's <threads.h>: threads with their results, mutexes plain and recursive, a condition, once, storage of its own.
//
// heddle: verdict = safe
// heddle: executions = 32
// heddle: flags = -std=c11
#include <assert.h>
#include <threads.h>

static mtx_t lock, again;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t own;
static int initialised, ready, destroyed;

static void initialise(void)
{
    initialised++;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int work(void *argument)
{
    int one = 1;
    call_once(&once, initialise);
    mtx_lock(&again);
    assert(mtx_trylock(&again) == thrd_success);
    mtx_unlock(&again);
    tss_set(own, &one);
    mtx_unlock(&again);
    mtx_lock(&lock);
    ready++;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    assert(tss_get(own) == &one);
    tss_set(own, NULL);
    if (argument)
        thrd_exit(-5);
    return 4;
}

int main(void)
{
    thrd_t first, second;
    int result;
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(mtx_init(&again, mtx_plain | mtx_recursive) == thrd_success);
    assert(cnd_init(&changed) == thrd_success);
    assert(tss_create(&own, destroy) == thrd_success);
    assert(thrd_create(&first, work, NULL) == thrd_success);
    assert(thrd_create(&second, work, &lock) == thrd_success);
    mtx_lock(&lock);
    assert(mtx_trylock(&lock) == thrd_busy);
    while (ready < 2)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    assert(thrd_join(first, &result) == thrd_success && result == 4);
    assert(thrd_join(second, &result) == thrd_success && result == -5);
    assert(initialised == 1 && destroyed == 0);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    mtx_destroy(&again);
    return 0;
}
