// Neighbouring bit-fields are one place.
//
// heddle: kind = data-race
#include <pthread.h>

struct {
    unsigned a : 4, b : 4;
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
    return 0;
}
