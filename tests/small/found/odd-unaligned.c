// An unaligned access over two granules.
//
// heddle: kind = data-race
// heddle: flags = -O1
#include <pthread.h>
#include <string.h>

static struct __attribute__((packed))
{
    char c[6];
    int i;
    char d;
} s;

static void *f(void *u)
{
    s.i = 1;
    return u;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    ((char *)&s)[9] = 2;
    pthread_join(t, 0);
    return s.i > 1 << 30;
}
