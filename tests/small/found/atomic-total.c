// A sum over two atomics is not atomic.
//
// heddle: kind = assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *move(void *unused)
{
    x--;
    y++;
    return unused;
}

static void *look(void *unused)
{
    assert(x + y == 5);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    x = 5;
    pthread_create(&threads[0], NULL, move, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
