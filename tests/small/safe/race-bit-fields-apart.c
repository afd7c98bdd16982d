// Bit-fields with a field of no width between them are two places.
#include <pthread.h>
#include <stddef.h>

struct {
    unsigned a : 4;
    unsigned : 0;
    unsigned b : 4;
} bits;

static void *one(void *unused)
{
    bits.a = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    bits.b = 1;
    pthread_join(thread, NULL);
    return bits.a + bits.b - 2;
}
