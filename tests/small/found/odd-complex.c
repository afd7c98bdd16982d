// Complex numbers and long double.
//
// heddle: kind = data-race
// heddle: flags = -O1
#include <pthread.h>
#include <complex.h>

static double complex z;
static void *f(void *p)
{
    z = 1 + 2 * I;
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    double d = cimag(z);
    pthread_join(t, 0);
    return d > 5;
}
