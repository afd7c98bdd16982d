// A loop without a visible operation.
//
// heddle: kind = hang
// heddle: flags = --hang-timeout 1s
#include <pthread.h>

static int forever = 1;

static void *spin(void *unused)
{
    while (forever)
        ;
    return unused;
}

int main(void)
{
    pthread_t threads[1];
    pthread_create(&threads[0], NULL, spin, NULL);
    pthread_join(threads[0], NULL);
    return 0;
}
