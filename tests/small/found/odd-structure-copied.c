// A structure is copied while one byte is written.
//
// heddle: kind = data-race
// heddle: flags = -O1
#include <pthread.h>

struct S {
    char a[37];
};

static struct S s, d;
static void *f(void *p)
{
    s.a[36] = 1;
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    d = s;
    pthread_join(t, 0);
    return d.a[0];
}
