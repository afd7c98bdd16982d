// Alloca and VLAs shared by pointer.
//
// heddle: flags = -O1
#include <pthread.h>
#include <alloca.h>

static void *f(void *p)
{
    int *a = p;
    for (int i = 0; i < 10; i++) a[i]++;
    return 0;
}

static void go(int n)
{
    int v[n];
    int *a = alloca(n * sizeof *a);
    for (int i = 0; i < n; i++) v[i] = a[i] = 0;
    pthread_t t, u;
    pthread_create(&t, 0, f, v);
    pthread_create(&u, 0, f, a);
    pthread_join(t, 0);
    pthread_join(u, 0);
    v[0] += a[0];
}

int main(void)
{
    for (int i = 10; i < 12; i++) go(i);
    return 0;
}
