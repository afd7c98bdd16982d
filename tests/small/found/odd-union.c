// Another member of a union.
//
// heddle: kind = data-race
// heddle: flags = -O1
#include <pthread.h>

static union {
    long l;
    struct {
        int a, b;
    }
    s;
    char c[8];
} u;

static void *f(void *p)
{
    u.c[6] = 1;
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    u.s.b = 2;
    pthread_join(t, 0);
    return u.l == 77;
}
