// C11 call_once.
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int n;

static void init(void)
{
    n++;
}

static int work(void *unused)
{
    (void)unused;
    call_once(&flag, init);
    assert(n == 1);
    return 0;
}

int main(void)
{
    thrd_t thread;
    thrd_create(&thread, work, NULL);
    call_once(&flag, init);
    thrd_join(thread, NULL);
    return 0;
}
