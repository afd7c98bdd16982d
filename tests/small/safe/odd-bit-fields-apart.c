// A zero-width bit-field separates them.
//
// heddle: flags = -O1
#include <pthread.h>

static struct {
    unsigned a : 3;
    unsigned : 0;
    unsigned b : 5;
} s;

static void *f(void *u)
{
    s.a = 1;
    return u;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    s.b = 2;
    pthread_join(t, 0);
    return 0;
}
