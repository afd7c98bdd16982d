// Atomic of one byte against plain of eight.
//
// heddle: kind = data-race
// heddle: flags = -O1
#include <pthread.h>
#include <stdint.h>

static union {
    uint64_t w;
    uint8_t b[8];
} u;

static void *f(void *p)
{
    __atomic_store_n(&u.b[5], 1, __ATOMIC_SEQ_CST);
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    uint64_t v = u.w;
    pthread_join(t, 0);
    return v == 3;
}
