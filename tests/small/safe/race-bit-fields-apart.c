// Bit-fields on both sides of a field of no width are two places.
#include <assert.h>
#include <pthread.h>

static struct {
    unsigned a : 4;
    unsigned : 0;
    unsigned b : 4;
} bits;

static void *one(void *unused)
{
    bits.a = 1;
    return unused;
}

static void *two(void *unused)
{
    bits.b = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(bits.a + bits.b == 2);
    return 0;
}
