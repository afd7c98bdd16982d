// C11 mutexes, crosswise.
//
// heddle: kind = deadlock
#include <stddef.h>
#include <threads.h>

static mtx_t a, b;

static int one(void *unused)
{
    (void)unused;
    mtx_lock(&a);
    mtx_lock(&b);
    mtx_unlock(&b);
    mtx_unlock(&a);
    return 0;
}

static int two(void *unused)
{
    (void)unused;
    mtx_lock(&b);
    mtx_lock(&a);
    mtx_unlock(&a);
    mtx_unlock(&b);
    return 0;
}

int main(void)
{
    thrd_t threads[2];
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&threads[0], one, NULL);
    thrd_create(&threads[1], two, NULL);
    thrd_join(threads[0], NULL);
    thrd_join(threads[1], NULL);
    return 0;
}
