// Whoever takes the token may write.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int x;
static atomic_int token = 1;

static void *one(void *unused)
{
    if (atomic_exchange(&token, 0))
        x++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, one, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 1);
    return 0;
}
