// 128 bits.
//
// heddle: kind = data-race
// heddle: flags = -O1
#include <pthread.h>

static __int128 x;
static void *f(void *p)
{
    x += (__int128)(long)p << 70;
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, (void *)3);
    long h = (long)(x >> 64);
    pthread_join(t, 0);
    return h > 5;
}
